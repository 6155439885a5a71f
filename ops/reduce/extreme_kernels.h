#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// The largest, else the smallest, elements of x over `dims` (sorted, not empty). Either of values (x's dtype) and
/// indices may be undefined, not both; they lie in any way, with or without the reduced dimensions.
void extreme_kernel_cpu(bool largest, const Tensor& x, const Shape& dims, const Tensor& values, const Tensor& indices);
/// The same on CUDA.
void max_kernel_cuda(const Tensor& x, const Shape& dims, const Tensor& values, const Tensor& indices);
void min_kernel_cuda(const Tensor& x, const Shape& dims, const Tensor& values, const Tensor& indices);

}  // namespace minima::detail
