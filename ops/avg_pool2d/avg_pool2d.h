#pragma once

#include <minima/ops/core/pair.h>
#include <minima/tensor/tensor.h>

namespace minima {

struct AvgPool2dOptions {
  Pair kernel;
  Pair stride = kernel;
  Pair padding = 0;               ///< zeros; at most half the kernel
  bool ceil_mode = false;         ///< also windows that start inside the image and end outside it
  bool count_include_pad = true;  ///< divide by the window's size with padding, not by its elements inside the image
  std::int64_t divisor = 0;       ///< divide by this number instead, PyTorch's divisor_override; 1 for sums
};

/// The mean of every window: x [N, C, H, W] or [C, H, W] → [N, C, H', W'] or [C, H', W'], sizes as in max_pool2d.
/// Floating dtypes; half types accumulate in float32. Keeps x's memory order. Differentiable to any order.
MINIMA_API Tensor avg_pool2d(const Tensor& x, const AvgPool2dOptions& options);
inline Tensor avg_pool2d(const Tensor& x, std::int64_t kernel) { return avg_pool2d(x, {.kernel = kernel}); }
/// Adaptive average pooling: means over windows that divide images [N, C, H, W] or [C, H, W] into `size` parts. Window
/// i of n along H covers ⌊i·H / n⌋ to ⌈(i + 1)·H / n⌉. Size 1 gives the mean of each plane.
MINIMA_API Tensor adaptive_avg_pool2d(const Tensor& x, Pair size);

}  // namespace minima
