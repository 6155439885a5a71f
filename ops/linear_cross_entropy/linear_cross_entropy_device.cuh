#pragma once

#include <minima/ops/cross_entropy/cross_entropy_device.cuh>

namespace minima::detail {

/// eˣ for x ≤ 0. For half types by the approximate instruction to base 2: to 2⁻²², and 0 below 2⁻¹²⁶.
template <class X, class T> __device__ T exp_for(T x) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(X) == 2) {
    float result = 0;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x * math::cpu::Format<float>::log2_e));
    return result;
  }
#endif
  return math::exp(x);
}

/// Adds Σ exp of a pack, whose padding is -inf, rescaling once if it has a larger number.
template <class X, class T, int width>
__device__ void add_exp_of_pack(MaxSum<T>& state, const cuda::Pack<X, width>& pack) {
  constexpr T infinity = math::cpu::Format<T>::infinity;
  T largest = state.max;
  MINIMA_UNROLL
  for (int i = 0; i < width; ++i) largest = ::fmax(largest, static_cast<T>(pack.items[i]));
  if (largest > state.max) {
    state.sum *= exp_for<X>(state.max - largest);
    state.max = largest;
  }
  const T base = largest == -infinity ? T(0) : largest;
  MINIMA_UNROLL
  for (int i = 0; i < width; ++i) state.sum += exp_for<X>(static_cast<T>(pack.items[i]) - base);
}

/// A block per row of logits, which begin at multiples of 16 bytes: its loss and its share of a mean's divisor. If
/// `recording`, the logits are overwritten by the slopes Σ_c t_c · softmax(x) - t, which a mean still has to divide.
template <class X>
__global__ void __launch_bounds__(512)
    linear_cross_entropy_kernel(X* logits, std::int64_t stride, std::int64_t classes, const std::int64_t* targets,
                                const ClassWeights weights, bool recording, Compute<X>* losses, Compute<X>* counts,
                                cuda::Fault* fault) {
  using T = Compute<X>;
  constexpr int width = 16 / sizeof(X), in_flight = 4;
  using Pack = cuda::Pack<X, width>;
  __shared__ T halves[2][cuda::warp];
  cuda::Scratch<T> scratch(halves);
  const cuda::Team<true> team;
  X* const row = logits + team.line * stride;
  const std::int64_t packs = (classes + width - 1) / width, size = team.size;
  // The last pack may reach into the padding behind the row.
  const auto pad = [&](Pack& pack, std::int64_t p, T value) {
    if (p != packs - 1) return;
    for (int i = 0; i < width; ++i)
      if (p * width + i >= classes) pack.items[i] = static_cast<X>(value);
  };
  const auto load = [&](std::int64_t p) {
    Pack pack = cuda::load_pack<X, width>(row + p * width);
    pad(pack, p, -math::cpu::Format<T>::infinity);
    return pack;
  };

  MaxSum<T> own{-math::cpu::Format<T>::infinity, 0};
  std::int64_t p = team.rank;
  for (; p + (in_flight - 1) * size < packs; p += in_flight * size) {
    Pack loaded[in_flight];
    MINIMA_UNROLL
    for (int n = 0; n < in_flight; ++n) loaded[n] = load(p + n * size);
    MINIMA_UNROLL
    for (int n = 0; n < in_flight; ++n) add_exp_of_pack(own, loaded[n]);
  }
  for (; p < packs; p += size) add_exp_of_pack(own, load(p));
  const MaxSum<T> state = join(team, own, scratch);

  const T log_sum = math::log(state.sum);  // the maximum is subtracted first: it would absorb the logarithm
  const auto share_of = [&](std::int64_t c) { return static_cast<T>(weights.share) * weights.weight<T>(c); };
  T shared = 0, share_sum = 0;
  if (weights.share != 0) {
    for (std::int64_t c = team.rank; c < classes; c += team.size) {
      shared += share_of(c) * (state.max - static_cast<T>(row[c]));
      share_sum += share_of(c);
    }
    shared = team.all(shared, cuda::Plus(), T(0), scratch);
    share_sum = team.all(share_sum, cuda::Plus(), T(0), scratch);
  }
  const std::int64_t target = targets[team.line];
  const bool ignored = target == weights.ignore || !cuda::is_index(target, classes, fault);
  const T count = ignored ? T(0) : weights.weight<T>(target), at_target = static_cast<T>(weights.keep) * count;
  const T logit = ignored ? T(0) : static_cast<T>(row[target]);
  if (team.rank == 0) {
    losses[team.line] = ignored ? T(0) : at_target * (state.max - logit + log_sum) + (shared + share_sum * log_sum);
    counts[team.line] = count;
  }
  if (!recording) return;
  __syncthreads();  // the target's logit has been read
  const T factor = (at_target + share_sum) / state.sum;
  const auto slope = [&](T value) { return exp_for<X>(value - state.max) * factor; };
  const auto write = [&](const auto& slope_at) {
    for (p = team.rank; p < packs; p += size) {
      Pack pack = load(p);
      MINIMA_UNROLL
      for (int i = 0; i < width; ++i)
        pack.items[i] = static_cast<X>(slope_at(p * width + i, static_cast<T>(pack.items[i])));
      pad(pack, p, T(0));
      cuda::store_pack(row + p * width, pack);
    }
  };
  const auto with_share = [&](std::int64_t c, T value) { return c < classes ? slope(value) - share_of(c) : T(0); };
  if (ignored) return write([](std::int64_t, T) { return T(0); });
  if (weights.share == 0) write([&](std::int64_t, T value) { return slope(value); });
  else write(with_share);
  // By the thread that wrote its pack.
  if (team.rank == target / width % size)
    row[target] = static_cast<X>((weights.share == 0 ? slope(logit) : with_share(target, logit)) - at_target);
}

}  // namespace minima::detail
