#pragma once

#include <minima/ops/core/pair.h>
#include <minima/ops/reduce/extreme.h>

namespace minima {

struct MaxPool2dOptions {
  Pair kernel;
  Pair stride = kernel;
  Pair padding = 0;  ///< implicit -inf; at most half the kernel
  Pair dilation = 1;
  bool ceil_mode = false;  ///< also windows that start inside the image and end outside it
};

/// The maximum of every window: x [N, C, H, W] or [C, H, W] → [N, C, H', W'] or [C, H', W'] with H' = ⌊(H + 2·padding -
/// dilation·(kernel - 1) - 1) / stride⌋ + 1, or ⌈…⌉ + 1 with ceil_mode. NaN counts as the largest. Floating dtypes.
/// Keeps x's memory order. The gradient goes to the maximum, the first one if several are equal.
///   Tensor y = max_pool2d(x, {.kernel = 3, .stride = 2, .padding = 1});
MINIMA_API Tensor max_pool2d(const Tensor& x, const MaxPool2dOptions& options);
inline Tensor max_pool2d(const Tensor& x, std::int64_t kernel) { return max_pool2d(x, {.kernel = kernel}); }
/// The same with the position of each maximum: h · W + w within its plane, int64.
MINIMA_API ValuesAndIndices max_pool2d_with_indices(const Tensor& x, const MaxPool2dOptions& options);

}  // namespace minima
