#pragma once

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/loops/lines/wrapping.h>
#include <minima/ops/scan/scan_kernels.h>
#include <minima/ops/loops/lines/team.cuh>

namespace minima::detail {

inline constexpr unsigned scan_threads = 512;

template <class T>
__device__ T scan_step(ScanKind kind, T a, T b) {
  return kind == ScanKind::sum ? wrapping::add(a, b) : wrapping::multiply(a, b);
}

/// A block scans a contiguous line tile by tile, each in a fixed order: every thread combines with the one 1, 2, 4, …
/// places before it. Interleaved lines get one thread each.
template <bool whole_block, class X>
__global__ void __launch_bounds__(scan_threads)
    scan_kernel(ScanKind kind, const X* x, const Lines lines, bool reverse, X* y) {
  using T = cuda::Compute<X>;
  const cuda::Team<whole_block> team;
  if (team.line >= lines.outer * lines.inner) return;
  const std::int64_t start = team.line / lines.inner * lines.length * lines.inner + team.line % lines.inner;
  const std::int64_t step = reverse ? -lines.inner : lines.inner;
  const std::int64_t first = reverse ? start + (lines.length - 1) * lines.inner : start;
  const T identity = kind == ScanKind::sum ? T(0) : T(1);
  T before = identity;
  if constexpr (whole_block) {
    __shared__ T values[scan_threads];
    for (std::int64_t tile = 0; tile < lines.length; tile += team.size) {
      const std::int64_t i = tile + team.rank;
      values[team.rank] = i < lines.length ? static_cast<T>(x[first + i * step]) : identity;
      __syncthreads();
      for (unsigned by = 1; by < team.size; by *= 2) {
        const T other = team.rank >= by ? values[team.rank - by] : identity;
        __syncthreads();
        values[team.rank] = scan_step(kind, other, values[team.rank]);
        __syncthreads();
      }
      if (i < lines.length) y[first + i * step] = static_cast<X>(scan_step(kind, before, values[team.rank]));
      before = scan_step(kind, before, values[team.size - 1]);
      __syncthreads();
    }
  } else {
    for (std::int64_t i = 0; i < lines.length; ++i) {
      before = scan_step(kind, before, static_cast<T>(x[first + i * step]));
      y[first + i * step] = static_cast<X>(before);
    }
  }
}

}  // namespace minima::detail
