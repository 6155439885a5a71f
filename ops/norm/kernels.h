#pragma once

#include <minima/ops/norm/batch_norm.h>
#include <minima/tensor/tensor.h>

// The kernels of normalisations. Internal.

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

/// How a row is normalised.
struct RowNorm {
  double eps;
  bool centered = true;  ///< (x - mean) / √(var + eps); else x / √(mean of x² + eps)
};

/// y = normalized rows of x, times weight, plus bias; x and y are row-major [rows, n], of one dtype, or x is float32
/// and y a half type. mean and rstd [rows], of the compute dtype, are filled if defined.
void layer_norm_kernel_cpu(const Tensor& x, std::int64_t n, const Tensor& weight, const Tensor& bias,
                           const RowNorm& norm, Tensor& y, const Tensor& mean, const Tensor& rstd);

/// The same for branch + x, which is stored in `sum`; branch has y's dtype, sum x's. y is that of the sum before it is
/// rounded to its dtype; mean and rstd are those of `sum`, which the gradient reads.
void add_layer_norm_kernel_cpu(const Tensor& branch, const Tensor& x, std::int64_t n, const Tensor& weight,
                               const Tensor& bias, const RowNorm& norm, Tensor& sum, Tensor& y, const Tensor& mean,
                               const Tensor& rstd);

/// The gradients of x, weight and bias, and that of x in y's dtype, for the branch. Undefined where not wanted.
struct LayerNormGradients {
  Tensor x = {}, weight = {}, bias = {}, branch = {};
};

/// In one pass over g, of y's dtype, and x: the gradients that are defined; those of weight and bias have [n] elements
/// of the compute dtype. `also`, if defined, has x's shape and dtype and is added to the gradient of x. An undefined
/// mean says that none was subtracted. All row-major.
void layer_norm_gradient_kernel_cpu(const Tensor& g, const Tensor& x, std::int64_t n, const Tensor& weight,
                                    const Tensor& mean, const Tensor& rstd, const LayerNormGradients& into,
                                    const Tensor& also = {});
/// The same on CUDA, where `also` may be the memory of x's gradient.
void layer_norm_kernel_cuda(const Tensor& x, std::int64_t n, const Tensor& weight, const Tensor& bias,
                            const RowNorm& norm, Tensor& y, const Tensor& mean, const Tensor& rstd);
void add_layer_norm_kernel_cuda(const Tensor& branch, const Tensor& x, std::int64_t n, const Tensor& weight,
                                const Tensor& bias, const RowNorm& norm, Tensor& sum, Tensor& y, const Tensor& mean,
                                const Tensor& rstd);
void layer_norm_gradient_kernel_cuda(const Tensor& g, const Tensor& x, std::int64_t n, const Tensor& weight,
                                     const Tensor& mean, const Tensor& rstd, const LayerNormGradients& into,
                                     const Tensor& also = {});

/// y = (x - mean) · rstd · weight + bias, with mean and 1 / √(var + eps) of each group of channels of each sample,
/// which are stored in mean and rstd [N · groups]. x and y [N, C, …] row-major, weight and bias [C] row-major or
/// undefined; all of the same dtype, float32 or float64.
void group_norm_kernel_cpu(const Tensor& x, std::int64_t groups, const Tensor& weight, const Tensor& bias, double eps,
                           Tensor& y, Tensor& mean, Tensor& rstd);

/// The gradients of x, weight and bias; undefined ones are skipped.
void group_norm_gradient_kernel_cpu(const Tensor& g, const Tensor& x, std::int64_t groups, const Tensor& weight,
                                    const Tensor& mean, const Tensor& rstd, const Tensor& dx, const Tensor& dweight,
                                    const Tensor& dbias);

}  // namespace minima::detail
