#pragma once

#include <minima/ops/core/pair.h>
#include <minima/ops/core/triple.h>
#include <minima/tensor/tensor.h>

// Power-average pooling: (Σ xᵖ)^(1/p) over every window. As in PyTorch, x keeps its sign, so an odd p of negative sums
// gives NaN; p = ∞ is not defined. Floating dtypes. Differentiable to any order; the gradient is infinite or NaN where
// a window's sum is 0.

namespace minima {

struct LpPool1dOptions {
  std::int64_t kernel;
  std::int64_t stride = kernel;
  bool ceil_mode = false;
};
/// x [N, C, L] or [C, L] → [N, C, L'] or [C, L'], sizes as in avg_pool1d.
MINIMA_API Tensor lp_pool1d(const Tensor& x, double p, const LpPool1dOptions& options);

struct LpPool2dOptions {
  Pair kernel;
  Pair stride = kernel;
  bool ceil_mode = false;
};
/// x [N, C, H, W] or [C, H, W] → [N, C, H', W'] or [C, H', W'].
///   Tensor y = lp_pool2d(x, 2, {.kernel = 3, .stride = 2});   // the Euclidean norm of each window
MINIMA_API Tensor lp_pool2d(const Tensor& x, double p, const LpPool2dOptions& options);

struct LpPool3dOptions {
  Triple kernel;
  Triple stride = kernel;
  bool ceil_mode = false;
};
/// x [N, C, D, H, W] or [C, D, H, W] → [N, C, D', H', W'] or [C, D', H', W'].
MINIMA_API Tensor lp_pool3d(const Tensor& x, double p, const LpPool3dOptions& options);

}  // namespace minima
