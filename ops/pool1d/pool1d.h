#pragma once

#include <minima/ops/core/pair.h>
#include <minima/ops/reduce/extreme.h>

// Pooling of sequences [N, C, L] or [C, L], and adaptive pooling. Differentiable to any order.

namespace minima {

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

/// Means over `size` windows of the last dimension; window i of n covers ⌊i·L / n⌋ to ⌈(i + 1)·L / n⌉.
MINIMA_API Tensor adaptive_avg_pool1d(const Tensor& x, std::int64_t size);
/// The maxima over adaptive_avg_pool1d's windows. The gradient goes to the first of equal maxima.
MINIMA_API Tensor adaptive_max_pool1d(const Tensor& x, std::int64_t size);
/// The maximum of every window and its position in the sequence, int64.
MINIMA_API ValuesAndIndices max_pool1d_with_indices(const Tensor& x, const MaxPool1dOptions& options);
/// The maxima over adaptive_avg_pool2d's windows, for the last two dimensions.
MINIMA_API Tensor adaptive_max_pool2d(const Tensor& x, Pair size);
/// Adaptive maxima with their positions in the sequence, int64, the first of equal ones.
MINIMA_API ValuesAndIndices adaptive_max_pool1d_with_indices(const Tensor& x, std::int64_t size);
/// Adaptive maxima with their positions h · W + w.
MINIMA_API ValuesAndIndices adaptive_max_pool2d_with_indices(const Tensor& x, Pair size);

}  // namespace minima
