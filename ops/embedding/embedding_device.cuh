#pragma once

#include <minima/ops/loops/kernel.cuh>

namespace minima::detail {

/// y[i] = weight[index[i]], rows of `width` words; one thread per word.
template <class Word>
__global__ void __launch_bounds__(256)
    embedding_kernel(const Word* weight, const std::int64_t* index, std::int64_t count, std::int64_t vocabulary,
                     std::int64_t width, Word* y, cuda::Fault* fault) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count * width) return;
  const std::int64_t row = index[i / width];
  if (cuda::is_index(row, vocabulary, fault)) y[i] = weight[row * width + i % width];
}

}  // namespace minima::detail
