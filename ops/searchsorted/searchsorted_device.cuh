#pragma once

#include <minima/ops/searchsorted/searchsorted_kernels.h>
#include <minima/ops/loops/kernel.cuh>

namespace minima::detail {

template <class T>
__global__ void __launch_bounds__(256)
    searchsorted_kernel(const T* sorted, std::int64_t size, const T* values, std::int64_t per_line, std::int64_t count,
                        bool right, std::int64_t* y) {
  const std::int64_t n = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (n < count) y[n] = place_of(sorted + n / per_line * size, size, values[n], right);
}

}  // namespace minima::detail
