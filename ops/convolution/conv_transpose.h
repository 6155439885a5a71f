#pragma once

#include <minima/ops/core/pair.h>
#include <minima/ops/core/triple.h>
#include <minima/tensor/tensor.h>

// Transposed convolutions of images, sequences and volumes.

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

struct ConvTranspose1dOptions {
  std::int64_t stride = 1;
  std::int64_t padding = 0;         ///< removed on each side
  std::int64_t output_padding = 0;  ///< added at the end; below stride or dilation
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
};

/// As conv_transpose2d: x [N, C, L] or [C, L], weight [C, O / groups, k] → [N, O, L'] or [O, L'] with
/// L' = (L - 1)·stride - 2·padding + dilation·(k - 1) + output_padding + 1. Differentiable to any order.
MINIMA_API Tensor conv_transpose1d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                                   const ConvTranspose1dOptions& options = {});

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
