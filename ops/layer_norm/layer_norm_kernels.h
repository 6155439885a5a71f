#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// How a row is normalised.
struct RowNorm {
  double eps;
  bool centered = true;  ///< (x - mean) / √(var + eps); else x / √(mean of x² + eps)
};

/// y = normalized rows of x, times weight, plus bias; x is [rows, n] in row-major memory, y too. mean and rstd [rows],
/// of the compute dtype, are filled where defined.
void layer_norm_kernel_cpu(const Tensor& x, std::int64_t n, const Tensor& weight, const Tensor& bias,
                           const RowNorm& norm, Tensor& y, const Tensor& mean, const Tensor& rstd);

/// The same of x + residual, which is kept in `sum`.
void add_layer_norm_kernel_cpu(const Tensor& x, const Tensor& residual, std::int64_t n, const Tensor& weight,
                               const Tensor& bias, const RowNorm& norm, Tensor& sum, Tensor& y, const Tensor& mean,
                               const Tensor& rstd);

/// In one pass over g and x: dx, and where defined dweight and dbias ([n], of the compute dtype). `also`, of x's shape
/// and dtype, is added to dx where it is defined. An undefined mean says that none was subtracted. Row-major all.
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
