#pragma once

#include <minima/tensor/tensor.h>

// Sorting of integer keys on CUDA, and sums over runs of equal ones. Internal.

namespace minima::sorting {

/// Sorted keys and their original positions.
struct Sorted {
  Tensor keys, positions;
};

/// Throws a ShapeError that names `op` if `count` keys are more than the sort below can count, 2^32 - 1. Callers ask
/// before they allocate anything.
void check_sortable(std::int64_t count, const char* op);

/// Stable sort of contiguous int64 keys in [0, limit) on CUDA, of a number that check_sortable() accepts. Keys out of
/// range count as limit - 1, so they end up together at the end. At most `max_blocks` blocks share the keys.
Sorted radix_sort_cuda(const Tensor& keys, std::int64_t limit, std::int64_t max_blocks = 512);

/// A key that no row of y has.
inline constexpr std::int64_t no_key = -1;

/// On CUDA: y[k] = Σ rows[p] over the positions p whose key is k, in their order; with `adds`, y[k] is added. Rows of y
/// [V, D] whose key does not occur keep their values; keys >= V and `skipped` are ignored. rows are [n, D], both
/// contiguous and of one dtype; half types are summed in float32. The result is the same in every run.
void sum_runs_cuda(const Tensor& rows, const Sorted& sorted, std::int64_t skipped, bool adds, const Tensor& y);

/// On CUDA, in place: counts[i] becomes the sum of the counts before it. The last element is the total, whatever it
/// held. Contiguous int64.
void exclusive_sum_cuda(const Tensor& counts);

}  // namespace minima::sorting
