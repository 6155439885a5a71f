#pragma once

#include <minima/ops/batch_norm/batch_norm.h>

namespace minima::detail {

/// The statistics of each channel of x [N, C, …] as the gradient needs them: [C], contiguous, of x's compute dtype.
struct ChannelStatistics {
  Tensor mean;
  Tensor rstd;  ///< 1 / √(var + eps)
};

/// Of x itself (dense, not empty); var is biased. unbiased_var may be null, else it gets C values.
ChannelStatistics batch_statistics(const Tensor& x, double eps, double* unbiased_var);
/// What follows the normalisation of an element.
struct Ending {
  Tensor residual;  ///< added, if defined; lies like the result
  bool relu = false;
};
/// y = (x - mean) · rstd · weight + bias, and its ending; x lies like y; weight and bias may be undefined.
void normalize_channels(const Tensor& x, const ChannelStatistics& statistics, const Tensor& weight, const Tensor& bias,
                        const Ending& ending, Tensor& y);

/// Per channel Σ g and Σ g · (x - mean) · rstd: the gradients of bias and weight.
struct ChannelGradients {
  Tensor bias, weight;
};
ChannelGradients channel_gradients(const Tensor& g, const Tensor& x, const ChannelStatistics& statistics);
/// dx from these; in training x also moved its own mean and variance. g and x lie like dx.
void normalize_channels_gradient(const Tensor& g, const Tensor& x, const ChannelStatistics& statistics,
                                 const Tensor& weight, const ChannelGradients& sums, bool training, Tensor& dx);
/// All of it on CUDA, the running statistics too. x lies like y; mean and rstd may be undefined.
void batch_norm_kernel_cuda(const BatchNormOptions& options, const Tensor& x, const Tensor& weight, const Tensor& bias,
                            const Tensor& running_mean, const Tensor& running_var, const Ending& ending,
                            const Tensor& y, const Tensor& mean, const Tensor& rstd);
/// Those of dx (which lies like g and x), dweight and dbias that are defined.
void batch_norm_gradient_kernel_cuda(bool training, const Tensor& g, const Tensor& x, const Tensor& weight,
                                     const Tensor& mean, const Tensor& rstd, const Tensor& dx, const Tensor& dweight,
                                     const Tensor& dbias);

}  // namespace minima::detail
