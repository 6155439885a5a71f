#pragma once

#include <minima/tensor/tensor.h>

// Convolutions of sequences [N, C, L] or [C, L], computed as convolutions of images of height 1.

namespace minima {

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

}  // namespace minima
