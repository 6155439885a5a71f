#pragma once

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/loops/lines/blocks.cuh>

// Launches of kernels that assign each line of elements (see Lines in line_loop.h) to a team (team.cuh).

namespace minima::cuda {

/// Threads for a contiguous line: a few elements each, whole warps.
inline unsigned threads_for(std::int64_t length) {
  unsigned threads = 32;
  while (threads < 512 && threads * 4 < length) threads *= 2;
  return threads;
}

/// One block per contiguous line, else one thread per line.
inline Grid grid_of(const detail::Lines& lines, const char* op) {
  const std::int64_t count = lines.outer * lines.inner;
  if (lines.inner == 1) return {blocks_of(count, op), dim3(threads_for(lines.length))};
  return grid_for(count, 128);
}

}  // namespace minima::cuda
