#pragma once

#include <minima/ops/core/reduction.h>
#include <minima/tensor/tensor.h>

// Elementwise losses of predictions x and targets t; `reduction` leaves them as they are, sums them or takes their mean
// (NaN if empty). x and t have the same shape and floating dtypes, else ShapeError or DTypeError. Differentiable with
// respect to both, to any order. cross_entropy is in ops/loss.

namespace minima {

/// (x - t)²
MINIMA_API Tensor mse_loss(const Tensor& x, const Tensor& target, Reduction reduction = Reduction::mean);
/// |x - t|; the derivative at 0 is 0.
MINIMA_API Tensor l1_loss(const Tensor& x, const Tensor& target, Reduction reduction = Reduction::mean);
/// z²/(2β) for |z| < β, else |z| - β/2, with z = x - t; β = 0 is l1_loss. Throws ValueError for β < 0.
MINIMA_API Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, double beta = 1,
                                 Reduction reduction = Reduction::mean);
/// z²/2 for |z| ≤ δ, else δ(|z| - δ/2), with z = x - t (Huber 1964). Throws ValueError unless δ > 0.
MINIMA_API Tensor huber_loss(const Tensor& x, const Tensor& target, double delta = 1,
                             Reduction reduction = Reduction::mean);

/// -t·log p - (1 - t)·log(1 - p) for probabilities p; logarithms are clamped to at least -100. For training, prefer
/// binary_cross_entropy_with_logits.
MINIMA_API Tensor binary_cross_entropy(const Tensor& p, const Tensor& target, Reduction reduction = Reduction::mean);
/// The same with a factor per element, of any shape that broadcasts to p's; undefined means 1. `mean` divides by the
/// number of elements.
MINIMA_API Tensor binary_cross_entropy(const Tensor& p, const Tensor& target, const Tensor& weight,
                                       Reduction reduction = Reduction::mean);

struct BceOptions {
  Tensor weight = {};      ///< a factor per element, of any shape that broadcasts; undefined means 1
  Tensor pos_weight = {};  ///< a factor for the t term, likewise: above 1 it favours recall over precision
  Reduction reduction = Reduction::mean;
};
/// binary_cross_entropy of sigmoid(x), accurate for logits of any size.
MINIMA_API Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target,
                                                   const BceOptions& options = {});

/// t·(log t - x) for log-probabilities x, 0 where t is 0; the derivative with respect to t is -∞ there. PyTorch's
/// `batchmean` is the sum divided by x.size(0).
MINIMA_API Tensor kl_div(const Tensor& x, const Tensor& target, Reduction reduction = Reduction::mean);
/// kl_div for targets that are log-probabilities too: eᵗ·(t - x).
MINIMA_API Tensor kl_div_log_target(const Tensor& x, const Tensor& target, Reduction reduction = Reduction::mean);

struct NllOptions {
  Tensor weight = {};                ///< [C], a factor per class; undefined means 1
  std::int64_t ignore_index = -100;  ///< targets with this value are ignored
  Reduction reduction = Reduction::mean;
};
/// -w_c · x_c with c the int64 target class: log-probabilities x [C], [N, C] or [N, C, d1, …], targets shaped like x
/// without dimension C. `mean` divides by the sum of the weights of the targets that are not ignored.
/// cross_entropy(logits, target) is nll_loss(log_softmax(logits, 1), target), fused.
MINIMA_API Tensor nll_loss(const Tensor& x, const Tensor& target, const NllOptions& options = {});

}  // namespace minima
