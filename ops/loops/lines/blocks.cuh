#pragma once

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/launch.cuh>

namespace minima::cuda {

/// One block for each of `count` work items; throws ShapeError if a grid cannot have that many.
inline dim3 blocks_of(std::int64_t count, const char* op) {
  constexpr std::int64_t most = 0x7fffffff;
  if (count > most)
    throw ShapeError(str(op, ": ", count, " lines are too many for CUDA, at most ", most, "; split the tensor"));
  return dim3(static_cast<unsigned>(count));
}

}  // namespace minima::cuda
