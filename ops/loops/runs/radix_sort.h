#pragma once

#include <minima/tensor/tensor.h>

namespace minima::sorting {

/// Sorted keys and their original positions.
struct Sorted {
  Tensor keys, positions;
};

/// Throws a ShapeError that names `op` if `count` keys are more than the sort below can count, 2^32 - 1. Callers ask
/// before they allocate anything.
void check_sortable(std::int64_t count, const char* op);

/// Stable sort of contiguous int64 keys in [0, limit) on CUDA, of a number that check_sortable() accepts. Keys out of
/// range count as limit - 1, so they end up together at the end. At most `most_blocks` blocks share the keys.
Sorted radix_sort_cuda(const Tensor& keys, std::int64_t limit, std::int64_t most_blocks = 512);

}  // namespace minima::sorting
