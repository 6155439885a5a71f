#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// The statistics of each channel of x [N, C, …] as the gradient needs them: [C], contiguous, of x's compute dtype.
struct ChannelStatistics {
  Tensor mean;
  Tensor rstd;  ///< 1 / √(var + eps)
};

/// Of x itself (dense, not empty); var is biased. unbiased_var may be null, else it gets C values.
ChannelStatistics batch_statistics(const Tensor& x, double eps, double* unbiased_var);
/// y = (x - mean) · rstd · weight + bias; x lies like y; weight and bias may be undefined.
void normalize_channels(const Tensor& x, const ChannelStatistics& statistics, const Tensor& weight, const Tensor& bias,
                        Tensor& y);

/// Per channel Σ g and Σ g · (x - mean) · rstd: the gradients of bias and weight.
struct ChannelGradients {
  Tensor bias, weight;
};
ChannelGradients channel_gradients(const Tensor& g, const Tensor& x, const ChannelStatistics& statistics);
/// dx from these; in training x also moved its own mean and variance. g and x lie like dx.
void normalize_channels_gradient(const Tensor& g, const Tensor& x, const ChannelStatistics& statistics,
                                 const Tensor& weight, const ChannelGradients& sums, bool training, Tensor& dx);

}  // namespace minima::detail
