#pragma once

#include <minima/ops/conv2d/geometry.h>
#include <minima/ops/cudnn/graph.h>

namespace minima::detail {

/// One part of a convolution by cuDNN; false where it cannot, having done nothing. x, weight and y are dense, all
/// channels_last or all row-major, and begin at multiples of 16 bytes; bias is dense or undefined.
bool conv2d_by_cudnn(ConvPart part, const ConvGeometry& geometry, bool channels_last, const Tensor& x,
                     const Tensor& weight, const Tensor& y, const Tensor& bias);

}  // namespace minima::detail
