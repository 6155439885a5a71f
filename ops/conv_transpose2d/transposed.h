#pragma once

#include <minima/ops/conv2d/geometry.h>
#include <minima/ops/core/triple.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

/// conv_transpose2d or conv_transpose3d, by options.spatial. Internal.
Tensor transposed_convolution(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvOptions& options,
                              Triple output_padding);

}  // namespace minima::detail
