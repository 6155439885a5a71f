#pragma once

#include <minima/ops/core/pair.h>
#include <minima/tensor/tensor.h>

namespace minima {

struct ConvTranspose2dOptions {
  Pair stride = 1;
  Pair padding = 0;         ///< removed on each side
  Pair output_padding = 0;  ///< added at the end; below stride or dilation
  Pair dilation = 1;
  std::int64_t groups = 1;
};

/// Transposed convolution, the gradient of conv2d with respect to its input. x [N, C, H, W] or [C, H, W], weight [C, O
/// / groups, kH, kW], bias [O] or undefined → [N, O, H', W'] or [O, H', W'] with H' = (H - 1)·stride - 2·padding +
/// dilation·(kH - 1) + output_padding + 1. channels_last if x or weight is. Half types round before and after the bias
/// is added. Differentiable to any order.
///   Tensor y = conv_transpose2d(x, weight, bias, {.stride = 2, .padding = 1});   // kernel 4: twice the size
MINIMA_API Tensor conv_transpose2d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                                   const ConvTranspose2dOptions& options = {});

}  // namespace minima
