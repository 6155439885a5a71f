#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

enum class SoftmaxKind : std::uint8_t { probability, logarithm };

/// y = softmax of x or its logarithm along `dim`; y is dense.
void softmax_kernel_cpu(SoftmaxKind kind, const Tensor& x, int dim, Tensor& y);
/// The gradient of x from that of y; dx has y's layout.
void softmax_gradient_kernel_cpu(SoftmaxKind kind, const Tensor& g, const Tensor& y, int dim, Tensor& dx);
/// The same on CUDA.
void softmax_kernel_cuda(SoftmaxKind kind, const Tensor& x, int dim, Tensor& y);
void softmax_gradient_kernel_cuda(SoftmaxKind kind, const Tensor& g, const Tensor& y, int dim, Tensor& dx);

}  // namespace minima::detail
