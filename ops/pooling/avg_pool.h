#pragma once

#include <minima/ops/core/pair.h>
#include <minima/ops/core/triple.h>
#include <minima/tensor/tensor.h>

// Average pooling of images [N, C, H, W] or [C, H, W], sequences [N, C, L] or [C, L] and volumes [N, C, D, H, W] or
// [C, D, H, W]: of each plane of a volume first, then along the depth. Keeps x's memory order. Floating dtypes.
// Differentiable to any order.

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

struct AvgPool1dOptions {
  std::int64_t kernel;
  std::int64_t stride = kernel;
  std::int64_t padding = 0;
  bool ceil_mode = false;
  bool count_include_pad = true;
};
/// As avg_pool2d: the mean of every window, x [N, C, L] or [C, L] → [N, C, L'] or [C, L'].
MINIMA_API Tensor avg_pool1d(const Tensor& x, const AvgPool1dOptions& options);
inline Tensor avg_pool1d(const Tensor& x, std::int64_t kernel) { return avg_pool1d(x, {.kernel = kernel}); }

struct AvgPool3dOptions {
  Triple kernel;
  Triple stride = kernel;
  Triple padding = 0;             ///< zeros; at most half the kernel
  bool ceil_mode = false;         ///< also windows that start inside the volume and end outside it
  bool count_include_pad = true;  ///< divide by the window's size with padding, not by its elements inside the volume
  std::int64_t divisor = 0;       ///< divide by this number instead, PyTorch's divisor_override; 1 for sums
};
/// As avg_pool2d: the mean of every window → [N, C, D', H', W'] or [C, D', H', W'].
MINIMA_API Tensor avg_pool3d(const Tensor& x, const AvgPool3dOptions& options);
inline Tensor avg_pool3d(const Tensor& x, std::int64_t kernel) { return avg_pool3d(x, {.kernel = kernel}); }

/// Adaptive average pooling: means over windows that divide images [N, C, H, W] or [C, H, W] into `size` parts. Window
/// i of n along H covers ⌊i·H / n⌋ to ⌈(i + 1)·H / n⌉. Size 1 gives the mean of each plane.
MINIMA_API Tensor adaptive_avg_pool2d(const Tensor& x, Pair size);
/// Means over `size` windows of the last dimension; window i of n covers ⌊i·L / n⌋ to ⌈(i + 1)·L / n⌉.
MINIMA_API Tensor adaptive_avg_pool1d(const Tensor& x, std::int64_t size);
/// Means over windows that divide volumes into `size` parts, as adaptive_avg_pool2d.
MINIMA_API Tensor adaptive_avg_pool3d(const Tensor& x, Triple size);

}  // namespace minima
