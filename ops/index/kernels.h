#pragma once

#include <minima/tensor/tensor.h>

// Kernels that read and write the elements at given indices.

namespace minima::detail {

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

/// y[index[i]] = values[i] for rows of y [V, D], index [K] and values [K, D], all row-major; the last of several values
/// wins.
void put_rows_kernel_cpu(const Tensor& index, const Tensor& values, const Tensor& y);
/// The same on CUDA. For an index out of range, the next call that synchronises throws.
void put_rows_kernel_cuda(const Tensor& index, const Tensor& values, const Tensor& y);

/// The number of true elements of a row-major bool tensor.
std::int64_t count_true_cpu(const Tensor& flags);
/// Their coordinates, in order; y is int64 [count, rank].
void nonzero_kernel_cpu(const Tensor& flags, Tensor& y);
/// The same on CUDA; counting synchronises with the device.
std::int64_t count_true_cuda(const Tensor& flags);
void nonzero_kernel_cuda(const Tensor& flags, Tensor& y);

/// y [n, D] = rows of weight [V, D]; index has n elements. All row-major.
void embedding_kernel_cpu(const Tensor& weight, const Tensor& index, Tensor& y);
/// y [V, D] = the rows of g [n, D] summed by index, except those of `padding`. All row-major.
void embedding_gradient_kernel_cpu(const Tensor& g, const Tensor& index, std::int64_t padding, Tensor& y);
/// The same on CUDA. For an index out of range, the next call that synchronises throws.
void embedding_kernel_cuda(const Tensor& weight, const Tensor& index, Tensor& y);
void embedding_gradient_kernel_cuda(const Tensor& g, const Tensor& index, std::int64_t padding, Tensor& y);

/// y [B, D] = the sums of rows of weight [V, D]: bag b has the indices starts[b] … starts[b + 1] - 1; those equal to
/// `padding` are left out. `mean` divides by the number of those that are not. Half types accumulate in float32. All
/// row-major.
void embedding_bag_kernel_cpu(const Tensor& weight, const Tensor& index, const Tensor& starts, std::int64_t padding,
                              bool mean, Tensor& y);
/// y [V, D] = the rows of g [B, D], each summed into the rows of its bag's indices.
void embedding_bag_gradient_cpu(const Tensor& g, const Tensor& index, const Tensor& starts, std::int64_t padding,
                                bool mean, Tensor& y);

}  // namespace minima::detail
