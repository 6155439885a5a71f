#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// y [n, D] = rows of weight [V, D]; index has n elements. All row-major.
void embedding_kernel_cpu(const Tensor& weight, const Tensor& index, Tensor& y);
/// y [V, D] = the rows of g [n, D] summed by index, except those of `padding`. All row-major.
void embedding_gradient_kernel_cpu(const Tensor& g, const Tensor& index, std::int64_t padding, Tensor& y);
/// The same on CUDA. For an index out of range, the next call that synchronises throws.
void embedding_kernel_cuda(const Tensor& weight, const Tensor& index, Tensor& y);
void embedding_gradient_kernel_cuda(const Tensor& g, const Tensor& index, std::int64_t padding, Tensor& y);

}  // namespace minima::detail
