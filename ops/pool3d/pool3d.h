#pragma once

#include <minima/ops/core/triple.h>
#include <minima/ops/reduce/extreme.h>

// Pooling of volumes [N, C, D, H, W] or [C, D, H, W]: of each plane first, then along the depth. Keeps x's memory
// order. Floating dtypes. Differentiable to any order.

namespace minima {

struct MaxPool3dOptions {
  Triple kernel;
  Triple stride = kernel;
  Triple padding = 0;  ///< implicit -inf; at most half the kernel
  Triple dilation = 1;
  bool ceil_mode = false;  ///< also windows that start inside the volume and end outside it
};
/// As max_pool2d: the maximum of every window → [N, C, D', H', W'] or [C, D', H', W'].
///   Tensor y = max_pool3d(x, {.kernel = {1, 2, 2}});
MINIMA_API Tensor max_pool3d(const Tensor& x, const MaxPool3dOptions& options);
inline Tensor max_pool3d(const Tensor& x, std::int64_t kernel) { return max_pool3d(x, {.kernel = kernel}); }
/// The same with the position of each maximum: (d · H + h) · W + w within its volume, int64.
MINIMA_API ValuesAndIndices max_pool3d_with_indices(const Tensor& x, const MaxPool3dOptions& options);

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

/// Means over windows that divide volumes into `size` parts, as adaptive_avg_pool2d.
MINIMA_API Tensor adaptive_avg_pool3d(const Tensor& x, Triple size);
/// The maxima over adaptive_avg_pool3d's windows, for the last three dimensions.
MINIMA_API Tensor adaptive_max_pool3d(const Tensor& x, Triple size);
/// The same with their positions (d · H + h) · W + w, int64, the first of equal ones.
MINIMA_API ValuesAndIndices adaptive_max_pool3d_with_indices(const Tensor& x, Triple size);

}  // namespace minima
