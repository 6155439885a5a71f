#pragma once

#include <minima/ops/conv2d/geometry.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

/// y = conv2d(x, weight, bias); y is row-major or channels_last, bias may be undefined.
void conv2d_cpu(const ConvGeometry& geometry, const Tensor& x, const Tensor& weight, const Tensor& bias,
                const Tensor& y);
/// x_gradient may have any dense order.
void conv2d_input_gradient_cpu(const ConvGeometry& geometry, const Tensor& g, const Tensor& weight,
                               const Tensor& x_gradient);
/// weight_gradient = … or += …; any layout without overlaps.
void conv2d_weight_gradient_cpu(const ConvGeometry& geometry, const Tensor& x, const Tensor& g,
                                const Tensor& weight_gradient, bool accumulate);

/// The same on CUDA: by cuDNN where it can, else by products over patches.
void conv2d_cuda(const ConvGeometry& geometry, const Tensor& x, const Tensor& weight, const Tensor& bias,
                 const Tensor& y);
void conv2d_input_gradient_cuda(const ConvGeometry& geometry, const Tensor& g, const Tensor& weight,
                                const Tensor& x_gradient);
void conv2d_weight_gradient_cuda(const ConvGeometry& geometry, const Tensor& x, const Tensor& g,
                                 const Tensor& weight_gradient, bool accumulate);

}  // namespace minima::detail
