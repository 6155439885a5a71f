#pragma once

#include <minima/ops/cross_entropy/cross_entropy_kernels.h>

namespace minima::detail {

/// What a call that is recorded computes beside the loss, in the dtype that is computed in and not yet divided by the
/// total; undefined where nobody wants it.
struct LinearCrossEntropyGradients {
  Tensor x, weight, bias;
};

/// loss of x [N, D], weight [C, D], bias [C] and target [N], by the sum or the mean; total (float64) is what the mean
/// divides by.
void linear_cross_entropy_kernel_cpu(const CrossEntropyAttributes& attributes, const Tensor& x, const Tensor& weight,
                                     const Tensor& bias, const Tensor& target, const Tensor& class_weight, Tensor& loss,
                                     const LinearCrossEntropyGradients& gradients, double& total);
/// The same on CUDA; total may be undefined.
void linear_cross_entropy_kernel_cuda(const CrossEntropyAttributes& attributes, const Tensor& x, const Tensor& weight,
                                      const Tensor& bias, const Tensor& target, const Tensor& class_weight,
                                      Tensor& loss, const LinearCrossEntropyGradients& gradients, const Tensor& total);

}  // namespace minima::detail
