#pragma once

#include <minima/ops/loops/runs/radix_sort.h>
#include <minima/tensor/tensor.h>

namespace minima::sorting {

/// A key that no row of y has.
inline constexpr std::int64_t no_key = -1;

/// On CUDA: y[k] = Σ rows[p] over the positions p whose key is k, in their order; with `adds`, y[k] is added. Rows of y
/// [V, D] whose key does not occur keep their values; keys >= V and `skipped` are ignored. rows are [n, D], both
/// contiguous and of one dtype; half types are summed in float32. The result is the same in every run.
void sum_runs_cuda(const Tensor& rows, const Sorted& sorted, std::int64_t skipped, bool adds, const Tensor& y);

}  // namespace minima::sorting
