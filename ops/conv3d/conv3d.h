#pragma once

#include <minima/ops/core/triple.h>
#include <minima/tensor/tensor.h>

namespace minima {

struct Conv3dOptions {
  Triple stride = 1;
  Triple padding = 0;  ///< zeros on each side
  Triple dilation = 1;
  std::int64_t groups = 1;  ///< splits the channels into this many groups, each convolved into its share of the outputs
};

/// As conv2d, for volumes: x [N, C, D, H, W] or [C, D, H, W], weight [O, C / groups, kD, kH, kW], bias [O] or undefined
/// → [N, O, D', H', W'] or [O, D', H', W'] with D' = ⌊(D + 2·padding - dilation·(kD - 1) - 1) / stride⌋ + 1.
/// Differentiable to any order.
///   Tensor y = conv3d(x, weight, bias, {.stride = {1, 2, 2}, .padding = 1});
MINIMA_API Tensor conv3d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                         const Conv3dOptions& options = {});

}  // namespace minima
