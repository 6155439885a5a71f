#pragma once

#include <minima/ops/conv2d/geometry.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

/// x, row-major → columns [N, C · kH · kW, positions]; float32 or float64.
void unfold_kernel_cpu(const ConvGeometry& geometry, const Tensor& x, const Tensor& columns);
/// The reverse, adding up.
void fold_kernel_cpu(const ConvGeometry& geometry, const Tensor& columns, const Tensor& x);

/// x, channels_last → patches [N · positions, kH · kW, C]; any floating dtype.
void unfold_kernel_cuda(const ConvGeometry& geometry, const Tensor& x, const Tensor& patches);
/// The reverse, adding up; float32 or float64.
void fold_kernel_cuda(const ConvGeometry& geometry, const Tensor& patches, const Tensor& x);

}  // namespace minima::detail
