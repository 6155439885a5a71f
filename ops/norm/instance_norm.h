#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

struct InstanceNormOptions {
  bool use_input_stats = true;  ///< else the running statistics, PyTorch's evaluation mode
  double momentum = 0.1;        ///< weight of the new batch in the running statistics, from 0 to 1
  double eps = 1e-5;            ///< at least 0
};

/// y = (x - mean) / √(var + eps) · weight + bias, with mean and biased variance over the positions of each channel of
/// each sample (Ulyanov, Vedaldi and Lempitsky, arXiv:1607.08022). x floating [N, C, d1, …]; the other tensors are [C]
/// or undefined. With use_input_stats the running statistics, if given, are updated in place by the batch's averages,
/// with unbiased variances. Differentiable to any order. Throws ValueError for a single position, and for no running
/// statistics without use_input_stats.
MINIMA_API Tensor instance_norm(const Tensor& x, const Tensor& running_mean = {}, const Tensor& running_var = {},
                                const Tensor& weight = {}, const Tensor& bias = {},
                                const InstanceNormOptions& options = {});

struct LocalResponseNormOptions {
  std::int64_t size;  ///< channels of the window
  double alpha = 1e-4;
  double beta = 0.75;
  double k = 1;
};

/// y = x / (k + alpha · mean)^beta, where mean is that of x² over a window of `size` neighbouring channels with zeros
/// outside (Krizhevsky et al. 2012). x floating [N, C, d1, …]; half types compute in float32. Differentiable to any
/// order.
///   Tensor y = local_response_norm(x, {.size = 5});
MINIMA_API Tensor local_response_norm(const Tensor& x, const LocalResponseNormOptions& options);

}  // namespace minima
