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

inline constexpr unsigned columns_per_block = 32, row_lanes = 8;

/// The table's gradient. Position p of the sorted index starts a run if its row differs from the previous one; the
/// block of that position sums the run's rows of g, eight at a time, in index order, and writes the sum. The other
/// blocks exit. Writes never collide, and the result does not depend on timing.
template <class X>
__global__ void __launch_bounds__(columns_per_block* row_lanes)
    embedding_gradient_kernel(const X* g, const std::int64_t* sorted, const std::int64_t* positions, std::int64_t count,
                              std::int64_t width, std::int64_t vocabulary, std::int64_t padding, X* y) {
  using T = cuda::Compute<X>;
  __shared__ T sums[row_lanes][columns_per_block];
  const std::int64_t first = blockIdx.x, row = sorted[first];
  if ((first > 0 && sorted[first - 1] == row) || row == padding || row < 0 || row >= vocabulary)
    return;  // the whole block
  const unsigned column = threadIdx.x % columns_per_block, lane = threadIdx.x / columns_per_block;
  for (std::int64_t start = 0; start < width; start += columns_per_block) {
    const std::int64_t c = start + column;
    T sum = 0;
    for (std::int64_t p = first + lane; p < count && sorted[p] == row; p += row_lanes)
      if (c < width) sum += static_cast<T>(g[positions[p] * width + c]);
    sums[lane][column] = sum;
    __syncthreads();
    for (unsigned half = row_lanes / 2; half > 0; half /= 2) {
      if (lane < half) sums[lane][column] += sums[lane + half][column];
      __syncthreads();
    }
    if (lane == 0 && c < width) y[row * width + c] = static_cast<X>(sums[0][column]);
    __syncthreads();
  }
}

}  // namespace minima::detail
