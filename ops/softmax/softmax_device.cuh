#pragma once

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/math/math.h>
#include <minima/ops/softmax/softmax_kernels.h>
#include <minima/ops/loops/lines/row_packs.cuh>
#include <minima/ops/loops/lines/team.cuh>
#include <minima/ops/loops/unroll.cuh>

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
__device__ MaxSum<T> join(const cuda::Team<whole_block>& team, MaxSum<T> own, cuda::Scratch<T>& scratch) {
  constexpr T infinity = math::cpu::Format<T>::infinity;
  const T max = team.all(own.max, cuda::Larger(), -infinity, scratch);
  if (own.sum != 0 && own.max != max) own.sum *= math::exp(own.max - max);
  return {max, team.all(own.sum, cuda::Plus(), T(0), scratch)};
}

template <bool whole_block, class T, class X>
__device__ MaxSum<T> max_sum_of_line(const cuda::Team<whole_block>& team, const X* x, const Lines& lines,
                                     cuda::Scratch<T>& scratch) {
  MaxSum<T> own{-math::cpu::Format<T>::infinity, 0};
  cuda::for_line(team, x, lines.length, lines.inner,
                 [&](std::int64_t, X value) { add_exp(own, static_cast<T>(value)); });
  return join(team, own, scratch);
}

/// The first element of a line.
__device__ inline std::int64_t start_of(std::int64_t line, const Lines& lines) {
  return line / lines.inner * lines.length * lines.inner + line % lines.inner;
}

inline constexpr int softmax_packs = 4;

/// Rows in registers; see cuda::row_block for the threads of a row.
template <class X>
__global__ void __launch_bounds__(512)
    softmax_packed_kernel(SoftmaxKind kind, const X* x, X* y, std::int64_t rows, std::int64_t n) {
  using T = Compute<X>;
  using Row = cuda::RowPacks<softmax_packs, X>;
  __shared__ T halves[2][cuda::warp];
  cuda::Scratch<T> scratch(halves);
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= rows) return;  // the row's whole warp
  constexpr T infinity = math::cpu::Format<T>::infinity;
  Row in;
  in.load(x + row * n, n);
  const auto for_each = [&](const auto& f) {
    cuda::for_packs<softmax_packs, X>(n, [&](int p, std::int64_t) {
      MINIMA_UNROLL
      for (int c = 0; c < Row::width; ++c) f(static_cast<T>(in.of[p].items[c]));
    });
  };
  T max = -infinity, sum = 0;
  for_each([&](T value) { max = value > max ? value : max; });
  max = cuda::over_block(max, cuda::Larger(), -infinity, scratch);
  for_each([&](T value) { sum += math::exp(value - max); });
  sum = cuda::over_block(sum, cuda::Plus(), T(0), scratch);
  const bool probability = kind == SoftmaxKind::probability;
  const T scale = 1 / sum, log_sum = math::log(sum);
  cuda::for_packs<softmax_packs, X>(n, [&](int p, std::int64_t place) {
    cuda::Pack<X, Row::width> out;
    MINIMA_UNROLL
    for (int c = 0; c < Row::width; ++c) {
      const T value = static_cast<T>(in.of[p].items[c]) - max;
      out.items[c] = static_cast<X>(probability ? math::exp(value) * scale : value - log_sum);
    }
    cuda::store_pack(y + row * n + place, out);
  });
}

/// dx of rows in registers.
template <class X>
__global__ void __launch_bounds__(512)
    softmax_gradient_packed_kernel(SoftmaxKind kind, const X* g, const X* y, X* dx, std::int64_t rows, std::int64_t n) {
  using T = Compute<X>;
  using Row = cuda::RowPacks<softmax_packs, X>;
  __shared__ T halves[2][cuda::warp];
  cuda::Scratch<T> scratch(halves);
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= rows) return;  // the row's whole warp
  const bool probability = kind == SoftmaxKind::probability;
  Row slopes, outputs;
  slopes.load(g + row * n, n);
  outputs.load(y + row * n, n);
  T sum = 0;
  cuda::for_packs<softmax_packs, X>(n, [&](int p, std::int64_t) {
    MINIMA_UNROLL
    for (int c = 0; c < Row::width; ++c) {
      const T slope = static_cast<T>(slopes.of[p].items[c]);
      sum += probability ? slope * static_cast<T>(outputs.of[p].items[c]) : slope;
    }
  });
  sum = cuda::over_block(sum, cuda::Plus(), T(0), scratch);
  cuda::for_packs<softmax_packs, X>(n, [&](int p, std::int64_t place) {
    cuda::Pack<X, Row::width> out;
    MINIMA_UNROLL
    for (int c = 0; c < Row::width; ++c) {
      const T slope = static_cast<T>(slopes.of[p].items[c]), output = static_cast<T>(outputs.of[p].items[c]);
      out.items[c] = static_cast<X>(probability ? output * (slope - sum) : slope - math::exp(output) * sum);
    }
    cuda::store_pack(dx + row * n + place, out);
  });
}

/// Lines of any kind and length, in two passes over memory.
template <bool whole_block, class X>
__global__ void __launch_bounds__(512) softmax_kernel(SoftmaxKind kind, const X* x, X* y, const Lines lines) {
  using T = Compute<X>;
  __shared__ T halves[2][cuda::warp];
  cuda::Scratch<T> scratch(halves);
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
  __shared__ T halves[2][cuda::warp];
  cuda::Scratch<T> scratch(halves);
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
