#pragma once

#include <minima/ops/cross_entropy/cross_entropy_device.cuh>

namespace minima::detail {

/// A block per row of logits, which begin at multiples of 16 bytes: its loss and its share of a mean's divisor. If
/// `recording`, the logits are overwritten by the slopes Σ_c t_c · softmax(x) - t, which a mean still has to divide.
template <class X>
__global__ void __launch_bounds__(512)
    linear_cross_entropy_kernel(X* logits, std::int64_t stride, std::int64_t classes, const std::int64_t* targets,
                                const ClassWeights weights, bool recording, Compute<X>* losses, Compute<X>* counts,
                                cuda::Fault* fault) {
  using T = Compute<X>;
  constexpr int width = 16 / sizeof(X);
  __shared__ T halves[2][cuda::warp];
  cuda::Scratch<T> scratch(halves);
  const cuda::Team<true> team;
  X* const row = logits + team.line * stride;
  const MaxSum<T> state = max_sum_of_line<true, T>(team, row, Lines{1, classes, 1}, scratch);
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
  if (team.rank == 0) {
    losses[team.line] =
        ignored ? T(0)
                : at_target * (state.max - static_cast<T>(row[target]) + log_sum) + (shared + share_sum * log_sum);
    counts[team.line] = count;
  }
  if (!recording) return;
  __syncthreads();  // the target's logit has been read
  const T factor = (at_target + share_sum) / state.sum;
  for (std::int64_t first = team.rank * width; first < classes; first += std::int64_t{team.size} * width) {
    cuda::Pack<X, width> pack = cuda::load_pack<X, width>(row + first);
    for (int i = 0; i < width; ++i) {
      const std::int64_t c = first + i;
      T slope = 0;
      if (!ignored && c < classes) {
        slope = math::exp(static_cast<T>(pack.items[i]) - state.max) * factor;
        if (weights.share != 0) slope -= share_of(c);
        if (c == target) slope -= at_target;
      }
      pack.items[i] = static_cast<X>(slope);
    }
    cuda::store_pack(row + first, pack);
  }
}

}  // namespace minima::detail
