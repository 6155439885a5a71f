#pragma once

#include <minima/ops/core/reduction.h>
#include <minima/tensor/tensor.h>

// Losses of distributions and of segmentation, with the definitions of PyTorch and torchvision; `reduction` as in
// loss.h. Floating dtypes. Differentiable to any order; ShapeError, DTypeError or ValueError if something does not fit.

namespace minima {

struct GaussianNllOptions {
  bool full = false;  ///< adds the constant log(2π) / 2
  double eps = 1e-6;  ///< the least variance; its clamping has no gradient
  Reduction reduction = Reduction::mean;
};
/// (log v + (x - t)² / v) / 2 with the variance v: x's shape, or that with some sizes 1 or without the last dimension.
MINIMA_API Tensor gaussian_nll_loss(const Tensor& x, const Tensor& target, const Tensor& variance,
                                    const GaussianNllOptions& options = {});
struct PoissonNllOptions {
  bool log_input = true;  ///< x is the logarithm of the rate: eˣ - t·x; else x - t·log(x + eps)
  bool full = false;      ///< adds Stirling's formula, t·log t - t + log(2πt) / 2, where t > 1
  double eps = 1e-8;      ///< at least 0
  Reduction reduction = Reduction::mean;
};
/// The negative log-likelihood of counts t; x and t broadcast.
MINIMA_API Tensor poisson_nll_loss(const Tensor& x, const Tensor& target, const PoissonNllOptions& options = {});

struct FocalOptions {
  double alpha = 0.25;  ///< the weight of t = 1, and 1 - alpha that of t = 0: at most 1, negative for none
  double gamma = 2;     ///< at least 0
  Reduction reduction = Reduction::none;
};
/// The focal loss (1 - p_t)^γ · -log p_t of logits x with labels t (Lin et al., arXiv:1708.02002), torchvision's
/// sigmoid_focal_loss: x and t of one shape.
MINIMA_API Tensor sigmoid_focal_loss(const Tensor& x, const Tensor& target, const FocalOptions& options = {});
struct DiceOptions {
  double smooth = 1;  ///< added to numerator and denominator; at least 0
  Reduction reduction = Reduction::mean;
};
/// 1 - (2 Σ p·t + smooth) / (Σ p + Σ t + smooth) for probabilities p and masks t [N, …], summed over all but the first
/// dimension (Milletari et al., arXiv:1606.04797). Not in PyTorch.
MINIMA_API Tensor dice_loss(const Tensor& p, const Tensor& target, const DiceOptions& options = {});

}  // namespace minima
