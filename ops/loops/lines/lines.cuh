#pragma once

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>
#include <minima/ops/loops/kernel.cuh>
#include <minima/tensor/cuda/launch.cuh>

// Launches of kernels that assign each line of elements (see Lines in line_loop.h) to a team (team.cuh), and rows that
// a team keeps in registers.

namespace minima::cuda {

/// One block for each of `count` work items; throws ShapeError if a grid cannot have that many.
inline dim3 blocks_of(std::int64_t count, const char* op) {
  constexpr std::int64_t most = 0x7fffffff;
  if (count > most)
    throw ShapeError(str(op, ": ", count, " lines are too many for CUDA, at most ", most, "; split the tensor"));
  return dim3(static_cast<unsigned>(count));
}

/// Threads for a contiguous line: a few elements each, whole warps.
inline unsigned threads_for(std::int64_t length) {
  unsigned threads = 32;
  while (threads < 512 && threads * 4 < length) threads *= 2;
  return threads;
}

/// One block per contiguous line, or one warp per short one; one thread per interleaved line.
inline Grid grid_of(const detail::Lines& lines, const char* op) {
  const std::int64_t count = lines.outer * lines.inner;
  if (lines.inner > 1) return grid_for(count, 128);
  const unsigned threads = threads_for(lines.length), together = threads == 32 ? 8 : 1;
  return {blocks_of((count + together - 1) / together, op), dim3(threads, together)};
}

/// Whether interleaved lines are so few and so long that a thread each would take too long: then they are copied to
/// rows first.
inline bool are_few(const detail::Lines& lines) {
  return lines.inner > 1 && lines.outer * lines.inner < 8192 && lines.length >= 64;
}

/// A view of dense memory with the lines as rows: [outer, inner, length].
inline Tensor as_rows(const Tensor& dense, const detail::Lines& lines) {
  return Tensor(new TensorImpl(dense.impl()->storage,
                               Layout{{lines.outer, lines.inner, lines.length},
                                      {lines.length * lines.inner, 1, lines.inner},
                                      dense.layout().offset},
                               dense.dtype()));
}

/// A contiguous row in the registers of the threads along x that share it: up to `packs` packs, of 16 bytes each unless
/// a wider type is read along with it. Neighbours hold neighbouring packs. All loads are issued before the first result
/// is used.
template <int packs, class X, int elements = 16 / sizeof(X)>
struct RowPacks {
  static constexpr int width = elements;
  Pack<X, width> of[packs] = {};

  /// The row's element that item 0 of pack p holds.
  static __device__ std::int64_t place(int p) {
    return static_cast<std::int64_t>(static_cast<unsigned>(p) * blockDim.x + threadIdx.x) * width;
  }
  __device__ void load(const X* row, std::int64_t n) {
    MINIMA_UNROLL
    for (int p = 0; p < packs; ++p)
      if (place(p) < n) of[p] = load_pack<X, width>(row + place(p));
  }
};

/// f(p, place) for each pack of a row of n elements that this thread holds.
template <int packs, class X, class F>
__device__ void for_packs(std::int64_t n, const F& f) {
  MINIMA_UNROLL
  for (int p = 0; p < packs; ++p)
    if (const std::int64_t place = RowPacks<packs, X>::place(p); place < n) f(p, place);
}

/// The threads of a row, and the rows side by side in a block: whole warps for short rows, so that they need no
/// barrier.
struct RowBlock {
  unsigned threads = 0, rows = 1;  ///< no threads: the row is too long
};
template <class X>
RowBlock row_block(std::int64_t n, int packs) {
  const std::int64_t needed = (n * static_cast<std::int64_t>(sizeof(X)) / 16 + packs - 1) / packs;
  if (needed <= warp) return {warp, 8};
  if (needed > 512) return {};
  return {static_cast<unsigned>((needed + warp - 1) / warp * warp), 1};
}

/// Whether rows of n elements begin at multiples of 16 bytes.
template <class X>
bool has_packs(std::int64_t n) {
  return n % (16 / static_cast<std::int64_t>(sizeof(X))) == 0;
}
template <class X, class... Addresses>
bool has_packs(std::int64_t n, const void* first, const Addresses*... rest) {
  return reinterpret_cast<std::uintptr_t>(first) % 16 == 0 && has_packs<X>(n, rest...);
}

}  // namespace minima::cuda
