#pragma once

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/math/math.h>
#include <minima/ops/softmax/softmax_kernels.h>
#include <minima/ops/loops/lines/team.cuh>

namespace minima::detail {

using cuda::Compute;

/// The maximum of some numbers, and the sum of their exponentials relative to it.
template <class T>
struct MaxSum {
  T max, sum;
};

/// Accumulates Σ exp in one pass: a larger number rescales the sum so far. -inf adds nothing.
template <class T>
__device__ void add_exp(MaxSum<T>& state, T x) {
  constexpr T infinity = math::cpu::Format<T>::infinity;
  if (x > state.max) {
    if (state.sum != 0) state.sum *= math::exp(state.max - x);
    state.max = x;
  }
  if (x != -infinity) state.sum += math::exp(x - state.max);
}

/// Combines the sums of all members of a team, relative to their common maximum.
template <class T, bool whole_block>
__device__ MaxSum<T> join(const cuda::Team<whole_block>& team, MaxSum<T> own, T* scratch) {
  constexpr T infinity = math::cpu::Format<T>::infinity;
  const T max = team.all(own.max, cuda::Larger(), -infinity, scratch);
  if (own.sum != 0 && own.max != max) own.sum *= math::exp(own.max - max);
  return {max, team.all(own.sum, cuda::Plus(), T(0), scratch)};
}

template <bool whole_block, class T, class X>
__device__ MaxSum<T> max_sum_of_line(const cuda::Team<whole_block>& team, const X* x, const Lines& lines, T* scratch) {
  MaxSum<T> own{-math::cpu::Format<T>::infinity, 0};
  for (std::int64_t i = team.rank; i < lines.length; i += team.size) add_exp(own, static_cast<T>(x[i * lines.inner]));
  return join(team, own, scratch);
}

/// The first element of a line.
__device__ inline std::int64_t start_of(std::int64_t line, const Lines& lines) {
  return line / lines.inner * lines.length * lines.inner + line % lines.inner;
}

template <bool whole_block, class X>
__global__ void __launch_bounds__(512) softmax_kernel(SoftmaxKind kind, const X* x, X* y, const Lines lines) {
  using T = Compute<X>;
  __shared__ T scratch[cuda::warp];
  const cuda::Team<whole_block> team;
  if (team.line >= lines.outer * lines.inner) return;
  const std::int64_t start = start_of(team.line, lines);
  x += start;
  y += start;
  const MaxSum<T> state = max_sum_of_line<whole_block, T>(team, x, lines, scratch);
  if (kind == SoftmaxKind::probability) {
    const T scale = 1 / state.sum;
    for (std::int64_t i = team.rank; i < lines.length; i += team.size)
      y[i * lines.inner] = static_cast<X>(math::exp(static_cast<T>(x[i * lines.inner]) - state.max) * scale);
  } else {
    const T log_sum = math::log(state.sum);
    for (std::int64_t i = team.rank; i < lines.length; i += team.size)
      y[i * lines.inner] = static_cast<X>(static_cast<T>(x[i * lines.inner]) - state.max - log_sum);
  }
}

template <bool whole_block, class X>
__global__ void __launch_bounds__(512)
    softmax_gradient_kernel(SoftmaxKind kind, const X* g, const X* y, X* dx, const Lines lines) {
  using T = Compute<X>;
  __shared__ T scratch[cuda::warp];
  const cuda::Team<whole_block> team;
  if (team.line >= lines.outer * lines.inner) return;
  const std::int64_t start = start_of(team.line, lines);
  g += start;
  y += start;
  dx += start;
  T sum = 0;
  for (std::int64_t i = team.rank; i < lines.length; i += team.size) {
    const T slope = static_cast<T>(g[i * lines.inner]);
    sum += kind == SoftmaxKind::probability ? slope * static_cast<T>(y[i * lines.inner]) : slope;
  }
  sum = team.all(sum, cuda::Plus(), T(0), scratch);
  for (std::int64_t i = team.rank; i < lines.length; i += team.size) {
    const T slope = static_cast<T>(g[i * lines.inner]), output = static_cast<T>(y[i * lines.inner]);
    dx[i * lines.inner] =
        static_cast<X>(kind == SoftmaxKind::probability ? output * (slope - sum) : slope - math::exp(output) * sum);
  }
}

}  // namespace minima::detail
