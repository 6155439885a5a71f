#pragma once

#include <minima/ops/batch_norm/batch_norm.h>

namespace minima::detail {

/// The statistics of each channel of x [N, C, …] that the gradient needs: [C], contiguous, in x's compute dtype.
struct ChannelStatistics {
  Tensor mean;
  Tensor rstd;  ///< 1 / √(var + eps)
};

/// The statistics of x (dense, not empty), with biased variance. unbiased_var may be null; otherwise it receives C
/// values.
ChannelStatistics batch_statistics(const Tensor& x, double eps, double* unbiased_var);
/// The epilogue of the normalisation.
struct Ending {
  Tensor residual;  ///< added, if defined; has the result's layout
  bool relu = false;
};
/// y = (x - mean) · rstd · weight + bias, then the epilogue; x has y's layout; weight and bias may be undefined.
void normalize_channels(const Tensor& x, const ChannelStatistics& statistics, const Tensor& weight, const Tensor& bias,
                        const Ending& ending, Tensor& y);

/// Per channel Σ g and Σ g · (x - mean) · rstd: the gradients of bias and weight.
struct ChannelGradients {
  Tensor bias, weight;
};
ChannelGradients channel_gradients(const Tensor& g, const Tensor& x, const ChannelStatistics& statistics);
/// dx from these sums; in training, mean and variance depend on x too. g and x have dx's layout.
void normalize_channels_gradient(const Tensor& g, const Tensor& x, const ChannelStatistics& statistics,
                                 const Tensor& weight, const ChannelGradients& sums, bool training, Tensor& dx);
/// The whole operator on CUDA, running statistics included. x has y's layout; mean and rstd may be undefined.
void batch_norm_kernel_cuda(const BatchNormOptions& options, const Tensor& x, const Tensor& weight, const Tensor& bias,
                            const Tensor& running_mean, const Tensor& running_var, const Ending& ending,
                            const Tensor& y, const Tensor& mean, const Tensor& rstd);
/// A gradient on CUDA. After relu, g is that of relu's output. Without a residual, that is computed again from x; with
/// one it is given as y, and `before`, which may be g, receives the gradient of the residual.
struct BatchNormGradient {
  bool training = false;
  bool relu = false;
  Tensor y, before;
};
/// The gradients among dx (with the layout of g, x, y and before), dweight and dbias that are defined.
void batch_norm_gradient_kernel_cuda(const BatchNormGradient& of, const Tensor& g, const Tensor& x,
                                     const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& rstd,
                                     const Tensor& dx, const Tensor& dweight, const Tensor& dbias);

}  // namespace minima::detail
