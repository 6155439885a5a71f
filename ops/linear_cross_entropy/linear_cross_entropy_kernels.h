#pragma once

#include <minima/ops/cross_entropy/cross_entropy_kernels.h>

namespace minima::detail {

/// The gradients that a recorded call computes along with the loss, in the compute dtype and not yet divided by the
/// total; undefined if not wanted.
struct LinearCrossEntropyGradients {
  Tensor x, weight, bias;
};

/// The loss of x [N, D], weight [C, D], bias [C] and target [N], as sum or mean; total (float64) is the mean's divisor.
void linear_cross_entropy_kernel_cpu(const CrossEntropyAttributes& attributes, const Tensor& x, const Tensor& weight,
                                     const Tensor& bias, const Tensor& target, const Tensor& class_weight, Tensor& loss,
                                     const LinearCrossEntropyGradients& gradients, double& total);
/// The same on CUDA; total may be undefined.
void linear_cross_entropy_kernel_cuda(const CrossEntropyAttributes& attributes, const Tensor& x, const Tensor& weight,
                                      const Tensor& bias, const Tensor& target, const Tensor& class_weight,
                                      Tensor& loss, const LinearCrossEntropyGradients& gradients, const Tensor& total);

}  // namespace minima::detail
