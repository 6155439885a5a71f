#pragma once

#include <minima/ops/core/triple.h>
#include <minima/tensor/tensor.h>

namespace minima {

struct ConvTranspose3dOptions {
  Triple stride = 1;
  Triple padding = 0;         ///< removed on each side
  Triple output_padding = 0;  ///< added at the end; below stride or dilation
  Triple dilation = 1;
  std::int64_t groups = 1;
};

/// As conv_transpose2d, for volumes: x [N, C, D, H, W] or [C, D, H, W], weight [C, O / groups, kD, kH, kW], bias [O] or
/// undefined → [N, O, D', H', W'] or [O, D', H', W'] with D' = (D - 1)·stride - 2·padding + dilation·(kD - 1) +
/// output_padding + 1. Differentiable to any order.
///   Tensor y = conv_transpose3d(x, weight, bias, {.stride = 2});   // kernel 2: twice the size
MINIMA_API Tensor conv_transpose3d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                                   const ConvTranspose3dOptions& options = {});

}  // namespace minima
