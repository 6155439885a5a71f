#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// y = normalized rows of x, times weight, plus bias; x is [rows, n] in row-major memory, y too. mean and rstd [rows],
/// of the compute dtype, are filled where defined.
void layer_norm_kernel_cpu(const Tensor& x, std::int64_t n, const Tensor& weight, const Tensor& bias, double eps,
                           Tensor& y, Tensor& mean, Tensor& rstd);

/// The same of x + residual, which is kept in `sum`.
void add_layer_norm_kernel_cpu(const Tensor& x, const Tensor& residual, std::int64_t n, const Tensor& weight,
                               const Tensor& bias, double eps, Tensor& sum, Tensor& y, Tensor& mean, Tensor& rstd);

/// In one pass over g and x: dx, and where defined dweight and dbias ([n], of the compute dtype). `also`, of x's shape
/// and dtype, is added to dx where it is defined. Row-major all.
void layer_norm_gradient_kernel_cpu(const Tensor& g, const Tensor& x, std::int64_t n, const Tensor& weight,
                                    const Tensor& mean, const Tensor& rstd, const Tensor& dx, const Tensor& dweight,
                                    const Tensor& dbias, const Tensor& also = {});
/// The same on CUDA.
void layer_norm_kernel_cuda(const Tensor& x, std::int64_t n, const Tensor& weight, const Tensor& bias, double eps,
                            Tensor& y, Tensor& mean, Tensor& rstd);
void add_layer_norm_kernel_cuda(const Tensor& x, const Tensor& residual, std::int64_t n, const Tensor& weight,
                                const Tensor& bias, double eps, Tensor& sum, Tensor& y, Tensor& mean, Tensor& rstd);
void layer_norm_gradient_kernel_cuda(const Tensor& g, const Tensor& x, std::int64_t n, const Tensor& weight,
                                     const Tensor& mean, const Tensor& rstd, const Tensor& dx, const Tensor& dweight,
                                     const Tensor& dbias, const Tensor& also = {});

}  // namespace minima::detail
