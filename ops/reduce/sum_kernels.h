#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// y = Σ x over `dims` (sorted); y is row-major, with or without the reduced dimensions.
void sum_kernel_cpu(const Tensor& x, const Shape& dims, Tensor& y);
/// The same divided by the number of elements; floating dtypes.
void mean_kernel_cpu(const Tensor& x, const Shape& dims, Tensor& y);
/// y = Σ x² over the dimensions in which y has size 1; y is row-major and of x's rank. float32 and float64.
void sum_of_squares_kernel_cpu(const Tensor& x, Tensor& y);
/// The first two on CUDA.
void sum_kernel_cuda(const Tensor& x, const Shape& dims, Tensor& y);
void mean_kernel_cuda(const Tensor& x, const Shape& dims, Tensor& y);

}  // namespace minima::detail
