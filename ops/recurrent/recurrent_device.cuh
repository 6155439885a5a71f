#pragma once

#include <minima/ops/recurrent/recurrent_cell.h>
#include <minima/ops/loops/kernel.cuh>

namespace minima::detail {

/// One thread per element of [rows, H].
template <bool recorded, class Rows>
__global__ void __launch_bounds__(256) recurrent_step_kernel(Rows memory, std::int64_t rows) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * memory.width;
       i += step)
    memory.template run<recorded>(i / memory.width, i % memory.width);
}

template <class Rows>
__global__ void __launch_bounds__(256) recurrent_step_gradient_kernel(Rows memory, std::int64_t rows) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * memory.width;
       i += step)
    memory.run(i / memory.width, i % memory.width);
}

}  // namespace minima::detail
