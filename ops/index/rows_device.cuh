#pragma once

#include <minima/ops/loops/kernel.cuh>

// Rows of a matrix, read and written by their indices.

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

/// y[sorted[p]] = values[positions[p]], rows of `width` words; one thread per word. Equal indices are adjacent and in
/// order; the last one writes. Those out of range are sorted as `rows`.
template <class Word>
__global__ void __launch_bounds__(256)
    put_rows_kernel(const std::int64_t* index, const std::int64_t* sorted, const std::int64_t* positions,
                    std::int64_t count, std::int64_t rows, std::int64_t width, const Word* values, Word* y,
                    cuda::Fault* fault) {
  const std::int64_t n = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (n >= count * width) return;
  const std::int64_t p = n / width, column = n % width, row = sorted[p];
  if (p + 1 < count && sorted[p + 1] == row) return;
  if (row < rows) y[row * width + column] = values[positions[p] * width + column];
  else if (column == 0) cuda::is_index(index[positions[p]], rows, fault);
}

}  // namespace minima::detail
