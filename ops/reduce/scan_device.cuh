#pragma once

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/loops/lines/wrapping.h>
#include <minima/ops/loops/math/math.h>
#include <minima/ops/reduce/kernels.h>
#include <minima/ops/loops/kernel.cuh>
#include <minima/ops/loops/lines/team.cuh>

// Contiguous lines are cut into parts. One launch computes the parts' totals, a second one scans those, and a third one
// scans every part, starting from what is before it. Each part has a block, which works through it in tiles. All
// combinations are in a fixed order.

namespace minima::detail {

inline constexpr unsigned scan_threads = 256, scan_items = 8, most_parts = 512;
inline constexpr std::int64_t scan_tile = scan_threads * scan_items;

template <class T>
struct ScanStep {
  ScanKind kind;
  __device__ T operator()(T a, T b) const {
    switch (kind) {
      case ScanKind::sum: return wrapping::add(a, b);
      case ScanKind::product: return wrapping::multiply(a, b);
      case ScanKind::maximum: return math::max(a, b);
      default: return math::min(a, b);
    }
  }
  __device__ T identity() const { return scan_identity<T>(kind); }
};

/// Contiguous lines, in parts of whole tiles; the last one may be shorter.
struct ScanParts {
  std::int64_t length, part, parts;
  bool reverse;
  bool packs;  ///< the lines' addresses and lengths allow accesses of 16 bytes

  /// The first of `scan_items` elements in memory that are i, i + 1, … in the order of the scan.
  __device__ std::int64_t place(std::int64_t line, std::int64_t i) const {
    return line * length + (reverse ? length - static_cast<std::int64_t>(scan_items) - i : i);
  }
};

/// This thread's elements of a tile, in the order of the scan.
template <class X>
struct ScanItems {
  static constexpr int width = 16 / sizeof(X), packs = scan_items / width;
  cuda::Compute<X> of[scan_items];

  __device__ void load(const X* x, const ScanParts& parts, std::int64_t line, std::int64_t first, std::int64_t end,
                       cuda::Compute<X> identity) {
    const std::int64_t at = parts.place(line, first);
    X loaded[scan_items] = {};
    if (parts.packs && first < end) {
      cuda::Pack<X, width> raw[packs];
      MINIMA_UNROLL
      for (int p = 0; p < packs; ++p) raw[p] = cuda::load_pack<X, width>(x + at + p * width);
      MINIMA_UNROLL
      for (int i = 0; i < static_cast<int>(scan_items); ++i) loaded[i] = raw[i / width].items[i % width];
    } else {
      MINIMA_UNROLL
      for (int i = 0; i < static_cast<int>(scan_items); ++i)
        if (exists(i, parts, first, end)) loaded[i] = x[at + i];
    }
    MINIMA_UNROLL
    for (int i = 0; i < static_cast<int>(scan_items); ++i) {
      const int from = parts.reverse ? static_cast<int>(scan_items) - 1 - i : i;
      of[i] = first + i < end ? static_cast<cuda::Compute<X>>(loaded[from]) : identity;
    }
  }
  __device__ void store(X* y, const ScanParts& parts, std::int64_t line, std::int64_t first, std::int64_t end) const {
    const std::int64_t at = parts.place(line, first);
    const auto value = [&](int i) {
      return static_cast<X>(of[parts.reverse ? static_cast<int>(scan_items) - 1 - i : i]);
    };
    if (parts.packs && first < end) {
      MINIMA_UNROLL
      for (int p = 0; p < packs; ++p) {
        cuda::Pack<X, width> stored;
        MINIMA_UNROLL
        for (int c = 0; c < width; ++c) stored.items[c] = value(p * width + c);
        cuda::store_pack(y + at + p * width, stored);
      }
    } else {
      MINIMA_UNROLL
      for (int i = 0; i < static_cast<int>(scan_items); ++i)
        if (exists(i, parts, first, end)) y[at + i] = value(i);
    }
  }

 private:
  /// Whether the i-th element in memory is one of the part's.
  static __device__ bool exists(int i, const ScanParts& parts, std::int64_t first, std::int64_t end) {
    return first + (parts.reverse ? static_cast<int>(scan_items) - 1 - i : i) < end;
  }
};

/// One block per part. Without `y`, writes only the part's total; `starts` holds what is before each part, or is null.
template <class X>
__global__ void __launch_bounds__(scan_threads)
    scan_parts_kernel(ScanKind kind, const X* x, const ScanParts parts, const cuda::Compute<X>* starts, X* y,
                      cuda::Compute<X>* totals) {
  using T = cuda::Compute<X>;
  __shared__ T scratch[2][cuda::warp + 1];
  unsigned turn = 0;
  const ScanStep<T> step{kind};
  const std::int64_t line = blockIdx.x / parts.parts, part = blockIdx.x % parts.parts, first = part * parts.part;
  const std::int64_t end = first + parts.part < parts.length ? first + parts.part : parts.length;
  T before = starts ? starts[blockIdx.x] : step.identity();
  for (std::int64_t tile = first; tile < end; tile += scan_tile) {
    const std::int64_t own = tile + threadIdx.x * scan_items;
    ScanItems<X> items;
    items.load(x, parts, line, own, end, step.identity());
    MINIMA_UNROLL
    for (unsigned i = 1; i < scan_items; ++i) items.of[i] = step(items.of[i - 1], items.of[i]);
    T all;
    T* const own_scratch = scratch[turn ^= 1u];
    const T start =
        step(before, cuda::before_in_block(items.of[scan_items - 1], step, step.identity(), own_scratch, all));
    before = step(before, all);
    if (!y) continue;
    MINIMA_UNROLL
    for (unsigned i = 0; i < scan_items; ++i) items.of[i] = step(start, items.of[i]);
    items.store(y, parts, line, own, end);
  }
  if (totals && threadIdx.x == 0) totals[blockIdx.x] = before;
}

/// One block per line: replaces the totals of its parts by what is before each of them.
template <class T>
__global__ void __launch_bounds__(most_parts) part_starts_kernel(ScanKind kind, T* totals, std::int64_t parts) {
  __shared__ T scratch[cuda::warp + 1];
  const ScanStep<T> step{kind};
  T* const own = totals + blockIdx.x * parts + threadIdx.x;
  const bool exists = threadIdx.x < parts;
  T all;
  const T before = cuda::before_in_block(exists ? *own : step.identity(), step, step.identity(), scratch, all);
  if (exists) *own = before;
}

/// Interleaved lines: one thread each.
template <class X>
__global__ void __launch_bounds__(128) scan_kernel(ScanKind kind, const X* x, const Lines lines, bool reverse, X* y) {
  using T = cuda::Compute<X>;
  const ScanStep<T> step{kind};
  const std::int64_t line = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (line >= lines.outer * lines.inner) return;
  const std::int64_t start = line / lines.inner * lines.length * lines.inner + line % lines.inner;
  const std::int64_t stride = reverse ? -lines.inner : lines.inner;
  std::int64_t at = reverse ? start + (lines.length - 1) * lines.inner : start;
  T before = step.identity();
  for (std::int64_t i = 0; i < lines.length; ++i, at += stride) {
    before = step(before, static_cast<T>(x[at]));
    y[at] = static_cast<X>(before);
  }
}

}  // namespace minima::detail
