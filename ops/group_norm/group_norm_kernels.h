#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

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
