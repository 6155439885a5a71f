#pragma once

#include <minima/ops/conv2d/geometry.h>
#include <minima/ops/cudnn/graph.h>

namespace minima::detail {

/// Computes one part of a convolution by cuDNN. Returns false, with nothing done, where cuDNN cannot. x, weight and y
/// are dense, all channels_last or all row-major, and 16-byte aligned; bias is dense or undefined.
bool conv2d_by_cudnn(ConvPart part, const ConvGeometry& geometry, bool channels_last, const Tensor& x,
                     const Tensor& weight, const Tensor& y, const Tensor& bias);

}  // namespace minima::detail
