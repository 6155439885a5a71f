#pragma once

#include <minima/ops/core/pair.h>
#include <minima/ops/core/triple.h>
#include <minima/tensor/tensor.h>

// Convolutions of images, sequences and volumes. Those of sequences are computed as images of height 1.

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

struct Conv1dOptions {
  std::int64_t stride = 1;
  std::int64_t padding = 0;  ///< zeros on each side
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
};

/// As conv2d: x [N, C, L] or [C, L], weight [O, C / groups, k], bias [O] or undefined → [N, O, L'] or [O, L'] with
/// L' = ⌊(L + 2·padding - dilation·(k - 1) - 1) / stride⌋ + 1. Differentiable to any order.
MINIMA_API Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                         const Conv1dOptions& options = {});

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
