#pragma once

#include <minima/ops/reduce/softmax_device.cuh>

// Rows so few and so long that a block each would leave most of the GPU idle: a block per part of a row sums up its
// part, then a block per part reads the sums of the whole row, in their order, and writes its part.

namespace minima::detail {

/// Rows of `length` elements in parts of `part`, a multiple of 16 bytes; the last one may be shorter. Block b has part
/// b mod `parts` of row b / parts.
struct SoftmaxParts {
  std::int64_t length, part, parts;
  bool packed;  ///< whole packs of 16 bytes everywhere

  __device__ std::int64_t row() const { return blockIdx.x / parts; }
  /// The first of the block's elements, counted over all rows.
  __device__ std::int64_t first() const { return row() * length + blockIdx.x % parts * part; }
  __device__ std::int64_t count() const {
    const std::int64_t left = length - blockIdx.x % parts * part;
    return left < part ? left : part;
  }
};

/// f(i, packs…) for packs of the inputs, which begin at element i, that cover the block's part.
template <int width, class X, class F, class... Inputs>
__device__ void for_packs_of_part(const SoftmaxParts& cut, const F& f, const Inputs*... inputs) {
  const std::int64_t first = cut.first(), count = cut.count();
  for (std::int64_t i = threadIdx.x * width; i < count; i += static_cast<std::int64_t>(blockDim.x) * width)
    f(first + i, cuda::load_pack<X, width>(inputs + first + i)...);
}
template <class X, class F, class... Inputs>
__device__ void for_part(const SoftmaxParts& cut, const F& f, const Inputs*... inputs) {
  if (cut.packed) for_packs_of_part<16 / sizeof(X), X>(cut, f, inputs...);
  else for_packs_of_part<1, X>(cut, f, inputs...);
}

/// states[2b], states[2b + 1] = the maximum of block b's part and Σ exp relative to it.
template <class X>
__global__ void __launch_bounds__(512) softmax_parts_kernel(const X* x, const SoftmaxParts cut, Compute<X>* states) {
  using T = Compute<X>;
  __shared__ T halves[2][cuda::warp];
  cuda::Scratch<T> scratch(halves);
  const cuda::Team<true> team;
  const MaxSum<T> state = max_sum_of_line<true, T>(team, x + cut.first(), Lines{1, cut.count(), 1}, scratch);
  if (team.rank > 0) return;
  states[2 * blockIdx.x] = state.max;
  states[2 * blockIdx.x + 1] = state.sum;
}

template <class X>
__global__ void __launch_bounds__(512)
    softmax_by_parts_kernel(SoftmaxKind kind, const X* x, const SoftmaxParts cut, const Compute<X>* states, X* y) {
  using T = Compute<X>;
  __shared__ T halves[2][cuda::warp];
  cuda::Scratch<T> scratch(halves);
  const cuda::Team<true> team;
  MaxSum<T> own{-math::cpu::Format<T>::infinity, 0};
  for (std::int64_t p = team.rank; p < cut.parts; p += team.size) {
    const T* const of_part = states + 2 * (cut.row() * cut.parts + p);
    MaxSum<T> other{of_part[0], of_part[1]};
    const T max = cuda::Larger()(own.max, other.max);
    for (MaxSum<T>* state : {&own, &other})
      if (state->sum != 0 && state->max != max) state->sum *= math::exp(state->max - max);
    own = {max, own.sum + other.sum};
  }
  const MaxSum<T> state = join(team, own, scratch);
  const bool probability = kind == SoftmaxKind::probability;
  const T scale = 1 / state.sum, log_sum = math::log(state.sum);
  for_part<X>(
      cut,
      [&](std::int64_t place, auto pack) {
        MINIMA_UNROLL
        for (X& item : pack.items) {
          const T value = static_cast<T>(item) - state.max;
          item = static_cast<X>(probability ? math::exp(value) * scale : value - log_sum);
        }
        cuda::store_pack(y + place, pack);
      },
      x);
}

/// sums[b] = Σ g·y, or Σ g for the logarithm, of block b's part.
template <class X>
__global__ void __launch_bounds__(512)
    softmax_gradient_parts_kernel(SoftmaxKind kind, const X* g, const X* y, const SoftmaxParts cut, Compute<X>* sums) {
  using T = Compute<X>;
  __shared__ T halves[2][cuda::warp];
  cuda::Scratch<T> scratch(halves);
  const cuda::Team<true> team;
  T sum = 0;
  for_part<X>(
      cut,
      [&](std::int64_t, const auto& slopes, const auto& outputs) {
        constexpr int width = sizeof slopes / sizeof(X);
        MINIMA_UNROLL
        for (int c = 0; c < width; ++c) {
          const T slope = static_cast<T>(slopes.items[c]);
          sum += kind == SoftmaxKind::probability ? slope * static_cast<T>(outputs.items[c]) : slope;
        }
      },
      g, y);
  sum = team.all(sum, cuda::Plus(), T(0), scratch);
  if (team.rank == 0) sums[blockIdx.x] = sum;
}

template <class X>
__global__ void __launch_bounds__(512)
    softmax_gradient_by_parts_kernel(SoftmaxKind kind, const X* g, const X* y, const SoftmaxParts cut,
                                     const Compute<X>* sums, X* dx) {
  using T = Compute<X>;
  __shared__ T halves[2][cuda::warp];
  cuda::Scratch<T> scratch(halves);
  const cuda::Team<true> team;
  T own = 0;
  for (std::int64_t p = team.rank; p < cut.parts; p += team.size) own += sums[cut.row() * cut.parts + p];
  const T sum = team.all(own, cuda::Plus(), T(0), scratch);
  for_part<X>(
      cut,
      [&](std::int64_t place, auto slopes, const auto& outputs) {
        constexpr int width = sizeof slopes / sizeof(X);
        MINIMA_UNROLL
        for (int c = 0; c < width; ++c) {
          const T slope = static_cast<T>(slopes.items[c]), output = static_cast<T>(outputs.items[c]);
          slopes.items[c] = static_cast<X>(kind == SoftmaxKind::probability ? output * (slope - sum)
                                                                            : slope - math::exp(output) * sum);
        }
        cuda::store_pack(dx + place, slopes);
      },
      g, y);
}

}  // namespace minima::detail
