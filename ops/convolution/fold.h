#pragma once

#include <minima/ops/core/pair.h>
#include <minima/tensor/tensor.h>

namespace minima {

struct FoldOptions {
  Pair kernel;
  Pair dilation = 1;
  Pair padding = 0;  ///< zeros on each side
  Pair stride = 1;
};

/// im2col, torch.nn.functional.unfold: the elements under the kernel at every position, x [N, C, H, W] or [C, H, W] →
/// [N, C · kH · kW, L] or [C · kH · kW, L] with L = H' · W' positions, as many as conv2d has. Floating dtypes.
/// Differentiable to any order.
///   Tensor patches = unfold(images, {.kernel = 16, .stride = 16});   // [N, 3 · 16 · 16, patches]
MINIMA_API Tensor unfold(const Tensor& x, const FoldOptions& options);
/// col2im, the gradient of unfold: adds every column of x [N, C · kH · kW, L] or [C · kH · kW, L] to the elements of
/// images [N, C, size] or [C, size] that unfold would read it from. Overlapping columns add up. Floating dtypes; half
/// types accumulate in float32. Differentiable to any order.
MINIMA_API Tensor fold(const Tensor& x, Pair size, const FoldOptions& options);

}  // namespace minima
