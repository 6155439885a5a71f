#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// to[i] = from[i], converted to `to`'s dtype; same shape, any strides.
void copy_kernel_cpu(const Tensor& from, const Tensor& to);
/// to[i] += from[i], in order, so elements of `to` may overlap; same shape and dtype.
void add_kernel_cpu(const Tensor& from, const Tensor& to);
/// The same on CUDA.
void copy_kernel_cuda(const Tensor& from, const Tensor& to);
void add_kernel_cuda(const Tensor& from, const Tensor& to);  // repeated targets get the sum of their elements
/// Zeroes the memory of `count` elements, starting at the tensor's first.
void zero_kernel_cuda(const Tensor& to, std::int64_t count);

}  // namespace minima::detail
