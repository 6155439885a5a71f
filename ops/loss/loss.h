#pragma once

#include <minima/ops/core/reduction.h>
#include <minima/tensor/tensor.h>

// Losses of predictions x and targets t, element by element; `reduction` then leaves them alone, adds them up, or takes
// their mean (of nothing: NaN). x and t have one shape and floating dtypes: ShapeError and DTypeError otherwise.
// Differentiable by both, to any order. cross_entropy has a folder of its own.

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

/// -t·log p - (1 - t)·log(1 - p) for probabilities p; a logarithm counts as no less than -100. For training take the
/// next.
MINIMA_API Tensor binary_cross_entropy(const Tensor& p, const Tensor& target, Reduction reduction = Reduction::mean);

struct BceOptions {
  Tensor weight = {};      ///< a factor of each element, of any shape that broadcasts; undefined means 1
  Tensor pos_weight = {};  ///< a factor of the part with t, likewise: above 1 it favours recall over precision
  Reduction reduction = Reduction::mean;
};
/// binary_cross_entropy of sigmoid(x), exact for logits x of any size.
MINIMA_API Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target,
                                                   const BceOptions& options = {});

/// t·(log t - x) for log-probabilities x, 0 where t is 0; the derivative by t is -∞ there. PyTorch's `batchmean` is the
/// sum divided by x.size(0).
MINIMA_API Tensor kl_div(const Tensor& x, const Tensor& target, Reduction reduction = Reduction::mean);
/// The same for targets that are log-probabilities too: eᵗ·(t - x).
MINIMA_API Tensor kl_div_log_target(const Tensor& x, const Tensor& target, Reduction reduction = Reduction::mean);

struct NllOptions {
  Tensor weight = {};                ///< [C], a factor per class; undefined means 1
  std::int64_t ignore_index = -100;  ///< elements with this target count for nothing
  Reduction reduction = Reduction::mean;
};
/// -w_c · x_c with the class c of an int64 target: log-probabilities x [C], [N, C] or [N, C, d1, …], targets like x
/// without dimension C. `mean` divides by the sum of the weights of the targets that are not ignored.
/// cross_entropy(logits, target) is nll_loss(log_softmax(logits, 1), target), fused.
MINIMA_API Tensor nll_loss(const Tensor& x, const Tensor& target, const NllOptions& options = {});

}  // namespace minima
