#pragma once

#include <minima/ops/core/pair.h>
#include <minima/ops/core/triple.h>
#include <minima/ops/reduce/extreme.h>

// Max pooling of images [N, C, H, W] or [C, H, W], sequences [N, C, L] or [C, L] and volumes [N, C, D, H, W] or
// [C, D, H, W]: of each plane of a volume first, then along the depth. Keeps x's memory order. Floating dtypes.
// Differentiable to any order.

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

struct MaxPool1dOptions {
  std::int64_t kernel;
  std::int64_t stride = kernel;
  std::int64_t padding = 0;
  std::int64_t dilation = 1;
  bool ceil_mode = false;
};
/// As max_pool2d: the maximum of every window, x [N, C, L] or [C, L] → [N, C, L'] or [C, L'].
MINIMA_API Tensor max_pool1d(const Tensor& x, const MaxPool1dOptions& options);
inline Tensor max_pool1d(const Tensor& x, std::int64_t kernel) { return max_pool1d(x, {.kernel = kernel}); }
/// The maximum of every window and its position in the sequence, int64.
MINIMA_API ValuesAndIndices max_pool1d_with_indices(const Tensor& x, const MaxPool1dOptions& options);

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

/// The maxima over adaptive_avg_pool1d's windows. The gradient goes to the first of equal maxima.
MINIMA_API Tensor adaptive_max_pool1d(const Tensor& x, std::int64_t size);
/// Adaptive maxima with their positions in the sequence, int64, the first of equal ones.
MINIMA_API ValuesAndIndices adaptive_max_pool1d_with_indices(const Tensor& x, std::int64_t size);
/// The maxima over adaptive_avg_pool2d's windows, for the last two dimensions.
MINIMA_API Tensor adaptive_max_pool2d(const Tensor& x, Pair size);
/// Adaptive maxima with their positions h · W + w.
MINIMA_API ValuesAndIndices adaptive_max_pool2d_with_indices(const Tensor& x, Pair size);
/// The maxima over adaptive_avg_pool3d's windows, for the last three dimensions.
MINIMA_API Tensor adaptive_max_pool3d(const Tensor& x, Triple size);
/// The same with their positions (d · H + h) · W + w, int64, the first of equal ones.
MINIMA_API ValuesAndIndices adaptive_max_pool3d_with_indices(const Tensor& x, Triple size);

}  // namespace minima
