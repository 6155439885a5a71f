#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

struct BatchNormOptions {
  bool training = false;
  double momentum = 0.1;
  double eps = 1e-5;  ///< positive in training
};

/// y = (x - mean) / √(var + eps) · weight + bias per channel (Ioffe and Szegedy 2015). x is [N, C, …] of a floating
/// dtype; the other tensors are [C] of any floating dtype, or undefined.
///
/// In training, mean and (biased) variance are those of x over all dimensions but C, and the running statistics, if
/// given, are updated in place: running = (1 - momentum) · running + momentum · x's, with the unbiased variance. An
/// empty x leaves them unchanged. In evaluation, mean and variance are the running statistics. The result and the
/// gradient of x keep x's memory order; channels_last is as fast as row-major. Differentiable with respect to x, weight
/// and bias, to any order. Throws ValueError in training with one value per channel, and in evaluation without running
/// statistics.
MINIMA_API Tensor batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                             const Tensor& running_var, const BatchNormOptions& options = {});

/// y = max(batch_norm(x) + residual, 0) in one pass, the end of a residual block (He et al. 2015); no intermediate is
/// stored. residual has x's shape and dtype, or is undefined for max(batch_norm(x), 0). The gradient at an output of 0
/// is 0. Otherwise as batch_norm.
MINIMA_API Tensor batch_norm_relu(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                                  const Tensor& running_var, const Tensor& residual = {},
                                  const BatchNormOptions& options = {});

}  // namespace minima
