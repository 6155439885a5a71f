#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// y [n, D] = rows of weight [V, D]; index has n elements. Row-major all.
void embedding_kernel_cpu(const Tensor& weight, const Tensor& index, Tensor& y);
/// y [V, D] = the rows of g [n, D] added up where the index says, but for those of `padding`. Row-major all.
void embedding_gradient_kernel_cpu(const Tensor& g, const Tensor& index, std::int64_t padding, Tensor& y);
/// The same on CUDA, where the next call that waits for the device throws for an index out of range.
void embedding_kernel_cuda(const Tensor& weight, const Tensor& index, Tensor& y);
void embedding_gradient_kernel_cuda(const Tensor& g, const Tensor& index, std::int64_t padding, Tensor& y);

}  // namespace minima::detail
