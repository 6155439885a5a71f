#pragma once

#include <minima/tensor/tensor.h>

namespace minima::sorting {

/// Keys in order, and the place that each had.
struct Sorted {
  Tensor keys, positions;
};

/// A stable sort of contiguous int64 keys in [0, limit) on CUDA. At most 2^31 of them.
Sorted radix_sort_cuda(const Tensor& keys, std::int64_t limit);

}  // namespace minima::sorting
