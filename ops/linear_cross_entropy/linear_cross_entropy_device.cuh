#pragma once

#include <minima/ops/loops/kernel.cuh>

namespace minima::detail {

/// One thread: the sum or mean of the chunks' losses, in order, and the mean's divisor (`total` may be null).
static __global__ void add_chunks_kernel(const double* losses, const double* counts, std::int64_t chunks, bool mean,
                                         void* loss, DType dtype, double* total) {
  double sum = 0, count = 0;
  for (std::int64_t i = 0; i < chunks; ++i) {
    sum += losses[i];
    count += counts[i];
  }
  cuda::store_as(loss, 0, dtype, mean ? sum / count : sum);
  if (total) *total = count;
}

}  // namespace minima::detail
