#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// How a row is normalised.
struct RowNorm {
  double eps;
  bool centered = true;  ///< (x - mean) / √(var + eps); else x / √(mean of x² + eps)
};

/// y = normalized rows of x, times weight, plus bias; x and y are row-major [rows, n]. mean and rstd [rows], of the
/// compute dtype, are filled if defined.
void layer_norm_kernel_cpu(const Tensor& x, std::int64_t n, const Tensor& weight, const Tensor& bias,
                           const RowNorm& norm, Tensor& y, const Tensor& mean, const Tensor& rstd);

/// The same for x + residual, which is stored in `sum`. y is that of the sum before it is rounded to its dtype; mean
/// and rstd are those of `sum`, which the gradient reads.
void add_layer_norm_kernel_cpu(const Tensor& x, const Tensor& residual, std::int64_t n, const Tensor& weight,
                               const Tensor& bias, const RowNorm& norm, Tensor& sum, Tensor& y, const Tensor& mean,
                               const Tensor& rstd);

/// In one pass over g and x: dx, and if defined dweight and dbias ([n], of the compute dtype). `also`, if defined, has
/// x's shape and dtype and is added to dx. An undefined mean says that none was subtracted. All row-major.
void layer_norm_gradient_kernel_cpu(const Tensor& g, const Tensor& x, std::int64_t n, const Tensor& weight,
                                    const Tensor& mean, const Tensor& rstd, const Tensor& dx, const Tensor& dweight,
                                    const Tensor& dbias, const Tensor& also = {});
/// The same on CUDA.
void layer_norm_kernel_cuda(const Tensor& x, std::int64_t n, const Tensor& weight, const Tensor& bias,
                            const RowNorm& norm, Tensor& y, const Tensor& mean, const Tensor& rstd);
void add_layer_norm_kernel_cuda(const Tensor& x, const Tensor& residual, std::int64_t n, const Tensor& weight,
                                const Tensor& bias, const RowNorm& norm, Tensor& sum, Tensor& y, const Tensor& mean,
                                const Tensor& rstd);
void layer_norm_gradient_kernel_cuda(const Tensor& g, const Tensor& x, std::int64_t n, const Tensor& weight,
                                     const Tensor& mean, const Tensor& rstd, const Tensor& dx, const Tensor& dweight,
                                     const Tensor& dbias, const Tensor& also = {});

}  // namespace minima::detail
