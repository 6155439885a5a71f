#pragma once

#include <minima/ops/core/pair.h>
#include <minima/tensor/tensor.h>

namespace minima {

struct Conv2dOptions {
  Pair stride = 1;
  Pair padding = 0;  ///< zeros on each side
  Pair dilation = 1;
  std::int64_t groups = 1;  ///< splits the channels into this many groups, each convolved into its share of the outputs
};

/// 2-D convolution (cross-correlation): x [N, C, H, W] or [C, H, W], weight [O, C / groups, kH, kW], bias [O] or
/// undefined → [N, O, H', W'] or [O, H', W'] with H' = ⌊(H + 2·padding - dilation·(kH - 1) - 1) / stride⌋ + 1.
///   y[n, o, i, j] = bias[o] + Σ_{c, a, b} x[n, c, i·stride - padding + a·dilation, …] · weight[o, c, a, b]
/// The result is channels_last in memory if x or weight is. All tensors share one floating dtype; half types accumulate
/// in float32. Differentiable to any order.
///   Tensor y = conv2d(x, weight, bias, {.stride = 2, .padding = 1});
MINIMA_API Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                         const Conv2dOptions& options = {});

}  // namespace minima
