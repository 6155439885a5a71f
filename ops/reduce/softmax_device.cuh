#pragma once

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/loops/math/math.h>
#include <minima/ops/reduce/kernels.h>
#include <minima/ops/loops/kernel.cuh>
#include <minima/ops/loops/lines/lines.cuh>
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
  const bool probability = kind == SoftmaxKind::probability;
  const T scale = 1 / state.sum, log_sum = math::log(state.sum);
  const auto write = [&](std::int64_t i, X value) {
    const T relative = static_cast<T>(value) - state.max;
    y[i * lines.inner] = static_cast<X>(probability ? math::exp(relative) * scale : relative - log_sum);
  };
  if constexpr (whole_block) {
    for (std::int64_t i = team.rank; i < lines.length; i += team.size) write(i, x[i]);
  } else {
    cuda::for_line(team, x, lines.length, lines.inner, write);
  }
}

/// f(slope, output, place) for the team's share of a line of g and y; the loads of four elements are issued together.
template <bool whole_block, class X, class F>
__device__ void for_slopes(const cuda::Team<whole_block>& team, const X* g, const X* y, const Lines& lines,
                           const F& f) {
  constexpr int in_flight = 4;
  using T = Compute<X>;
  const std::int64_t step = whole_block ? 1 : lines.inner, size = team.size;
  std::int64_t i = team.rank;
  for (; i + (in_flight - 1) * size < lines.length; i += in_flight * size) {
    X slopes[in_flight], outputs[in_flight];
    MINIMA_UNROLL
    for (int n = 0; n < in_flight; ++n) {
      slopes[n] = g[(i + n * size) * step];
      outputs[n] = y[(i + n * size) * step];
    }
    MINIMA_UNROLL
    for (int n = 0; n < in_flight; ++n) f(static_cast<T>(slopes[n]), static_cast<T>(outputs[n]), (i + n * size) * step);
  }
  for (; i < lines.length; i += size) f(static_cast<T>(g[i * step]), static_cast<T>(y[i * step]), i * step);
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
  const bool probability = kind == SoftmaxKind::probability;
  T sum = 0;
  for_slopes(team, g, y, lines, [&](T slope, T output, std::int64_t) { sum += probability ? slope * output : slope; });
  sum = team.all(sum, cuda::Plus(), T(0), scratch);
  for_slopes(team, g, y, lines, [&](T slope, T output, std::int64_t place) {
    dx[place] = static_cast<X>(probability ? output * (slope - sum) : slope - math::exp(output) * sum);
  });
}

}  // namespace minima::detail
