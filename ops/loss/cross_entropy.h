#pragma once

#include <minima/ops/core/reduction.h>
#include <minima/tensor/tensor.h>

namespace minima {

struct CrossEntropyOptions {
  Tensor weight = {};                ///< [C], a factor per class; undefined means 1
  std::int64_t ignore_index = -100;  ///< targets with this value are ignored
  Reduction reduction = Reduction::mean;
  double label_smoothing = 0;  ///< ε in [0, 1]: the target distribution is (1 - ε) · target + ε / C
};

/// The cross entropy -Σ_c w_c q_c log p_c of p = softmax(logits) and the target distribution q. Logits are [C], [N, C]
/// or [N, C, d1, …] of a floating dtype; the target is either
///   - int64 class indices, shaped like the logits without dimension C; `mean` divides by the sum of the weights of the
///     targets that are not ignored (so it is NaN if all are); or
///   - probabilities, shaped and typed like the logits; `mean` divides by the number of distributions.
/// Differentiable with respect to the logits, and to probabilities, to any order. Throws IndexError for a target out of
/// range, before anything is computed.
///   Tensor loss = cross_entropy(model(x), labels, {.label_smoothing = 0.1});
MINIMA_API Tensor cross_entropy(const Tensor& logits, const Tensor& target, const CrossEntropyOptions& options = {});

}  // namespace minima
