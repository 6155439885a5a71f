#pragma once

#include <minima/tensor/tensor.h>

namespace minima::sorting {

/// Sorted keys and their original positions.
struct Sorted {
  Tensor keys, positions;
};

/// Stable sort of contiguous int64 keys in [0, limit) on CUDA; at most 2^31 of them. Keys out of range count as
/// limit - 1, so they end up together at the end.
Sorted radix_sort_cuda(const Tensor& keys, std::int64_t limit);

}  // namespace minima::sorting
