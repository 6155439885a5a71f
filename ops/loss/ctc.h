#pragma once

#include <minima/ops/core/reduction.h>
#include <minima/tensor/tensor.h>

#include <vector>

namespace minima {

struct CtcOptions {
  std::int64_t blank = 0;
  bool zero_infinity = false;  ///< infinite losses, of targets longer than their inputs allow, become 0 with gradient 0
  Reduction reduction = Reduction::mean;
};
/// Connectionist temporal classification (Graves et al. 2006): -log of the probability that a sequence of T steps
/// spells its target once repetitions are merged and blanks dropped. Log-probabilities [T, N, C] or [T, C]; int64
/// targets without blanks: [N, S], padded, or all one after the other in one vector. `input_lengths` and
/// `target_lengths` have an element per sequence. `mean` divides each loss by its target's length (at least 1) first.
/// Half types compute in float32. Runs T steps of pointwise operators over [N, 2S + 1] states. Differentiable to any
/// order; the gradient is that by log_probs, from which PyTorch's, which assumes a log_softmax in front, differs by a
/// part that log_softmax drops. An infinite loss has gradient 0, also without zero_infinity, where PyTorch's is NaN.
MINIMA_API Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets,
                           const std::vector<std::int64_t>& input_lengths,
                           const std::vector<std::int64_t>& target_lengths, const CtcOptions& options = {});

}  // namespace minima
