#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

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

}  // namespace minima::detail
