#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// Whether every index is at least `low` and below `high`. On the CPU.
bool indices_within(const Tensor& index, std::int64_t low, std::int64_t high);
/// Throws IndexError, with op, position and value, unless the whole index is in range.
void check_indices(const char* op, const Tensor& index, int dim, std::int64_t size);
/// y[…, i, …] = x[…, index[…, i, …], …] along `dim`; y has the index's shape and x's dtype.
void gather_kernel_cpu(const Tensor& x, int dim, const Tensor& index, Tensor& y);
/// y[…, index[…, i, …], …] += source[…, i, …] along `dim`.
void scatter_add_kernel_cpu(const Tensor& source, int dim, const Tensor& index, Tensor& y);
/// y[…, index[…, i, …], …] = the larger or the smaller of itself and source[…, i, …] along `dim`; NaN if either is.
void scatter_extreme_kernel_cpu(const Tensor& source, int dim, const Tensor& index, bool largest, Tensor& y);
/// The same as gather_kernel_cpu and scatter_add_kernel_cpu on CUDA. For an index out of range, the next call that
/// synchronises throws.
void gather_kernel_cuda(const Tensor& x, int dim, const Tensor& index, Tensor& y);
void scatter_add_kernel_cuda(const Tensor& source, int dim, const Tensor& index, Tensor& y);

}  // namespace minima::detail
