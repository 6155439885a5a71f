#pragma once

#include <minima/ops/core/reduction.h>
#include <minima/tensor/tensor.h>

// Margin losses, with PyTorch's definitions; `reduction` as in loss.h. Scores x are floating, ±1 targets have any dtype
// that converts to x's. Differentiable with respect to the scores to any order; ShapeError, DTypeError or ValueError if
// something does not fit.

namespace minima {

/// max(0, -t·(x₁ - x₂) + margin): t = 1 asks for x₁ > x₂, -1 for the opposite. All three broadcast.
MINIMA_API Tensor margin_ranking_loss(const Tensor& x1, const Tensor& x2, const Tensor& target, double margin = 0,
                                      Reduction reduction = Reduction::mean);
/// x for t = 1, max(0, margin - x) for t = -1: for distances x. Both broadcast.
MINIMA_API Tensor hinge_embedding_loss(const Tensor& x, const Tensor& target, double margin = 1,
                                       Reduction reduction = Reduction::mean);
/// log(1 + e^(-t·x)) for t = ±1.
MINIMA_API Tensor soft_margin_loss(const Tensor& x, const Tensor& target, Reduction reduction = Reduction::mean);

struct MultiMarginOptions {
  double p = 1;  ///< 1 or 2
  double margin = 1;
  Tensor weight = {};  ///< [C], a factor per class; undefined means 1
  Reduction reduction = Reduction::mean;
};
/// Σ_{c ≠ t} w_t · max(0, margin - x_t + x_c)ᵖ / C for scores x [N, C] or [C] and int64 classes [N] or [].
MINIMA_API Tensor multi_margin_loss(const Tensor& x, const Tensor& target, const MultiMarginOptions& options = {});
/// Σ over target classes t and other classes c of max(0, 1 - (x_t - x_c)) / C: x [N, C] or [C], int64 targets of the
/// same shape, which end at the first -1 of each row.
MINIMA_API Tensor multilabel_margin_loss(const Tensor& x, const Tensor& target, Reduction reduction = Reduction::mean);
struct MultilabelOptions {
  Tensor weight = {};  ///< [C], a factor per class, or of any shape that broadcasts to x's; undefined means 1
  Reduction reduction = Reduction::mean;
};
/// The mean over the classes (last dimension) of binary_cross_entropy_with_logits, one label per class.
MINIMA_API Tensor multilabel_soft_margin_loss(const Tensor& x, const Tensor& target,
                                              const MultilabelOptions& options = {});

/// For t = 1: 1 - cos(a, b), for t = -1: max(0, cos(a, b) - margin): vectors a, b [N, D] or [D], targets [N] or [].
MINIMA_API Tensor cosine_embedding_loss(const Tensor& a, const Tensor& b, const Tensor& target, double margin = 0,
                                        Reduction reduction = Reduction::mean);
struct TripletOptions {
  double margin = 1, p = 2, eps = 1e-6;
  bool swap = false;  ///< uses the distance of positive and negative if that is smaller (Balntas et al. 2016)
  Reduction reduction = Reduction::mean;
};
/// max(0, ‖anchor - positive‖ₚ - ‖anchor - negative‖ₚ + margin) over the last dimension, with pairwise_distance.
MINIMA_API Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                                      const TripletOptions& options = {});
/// InfoNCE (van den Oord et al., arXiv:1807.03748): cross entropy of cos(queryᵢ, keyⱼ) / temperature, where key i is
/// the positive of query i and the other keys of the batch are negatives: both [N, D]. Not in PyTorch.
MINIMA_API Tensor info_nce_loss(const Tensor& query, const Tensor& key, double temperature = 0.1,
                                Reduction reduction = Reduction::mean);

}  // namespace minima
