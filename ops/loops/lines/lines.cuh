#pragma once

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/tensor/tensor.h>
#include <minima/ops/loops/lines/blocks.cuh>

// Launches of kernels that assign each line of elements (see Lines in line_loop.h) to a team (team.cuh).

namespace minima::cuda {

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

}  // namespace minima::cuda
