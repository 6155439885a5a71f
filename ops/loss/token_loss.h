#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>

namespace minima {

/// The loss of a language model's batch as a sum and the number of targets in it. The mean over a step is the sum of
/// the sums divided by the sum of the counts, over all its batches and processes; the mean of their means weights the
/// tokens of short ones more. optim::Accumulation adds both up and divides once, in the optimizer's step:
///
///     accumulation.part(net.loss(tokens, targets, segments)).backward();
///     if (accumulation.is_complete()) accumulation.step(optimizer), optimizer.zero_grad();
struct TokenLoss {
  Tensor sum;    ///< of rank 0, over the targets that count; to call backward() on
  Tensor count;  ///< of those targets: float64 of rank 0 on the same device, without a gradient

  /// sum / count, and 0 if no target counts: the loss of a step of one batch.
  MINIMA_API Tensor mean() const;
};

struct TokenLossOptions {
  std::int64_t ignore_index = -100;  ///< targets with this value do not count
  double label_smoothing = 0;        ///< as in cross_entropy
  /// Adds z_loss · log² Σ exp(logits) for each target that counts, which keeps logits from drifting away (Chowdhery et
  /// al., "PaLM", arXiv:2204.02311, with 1e-4).
  double z_loss = 0;
  double soft_cap = 0;  ///< c of c · tanh(logits / c), the logits that then count, as in Gemma 2; 0: none
};

/// The cross entropy of logits [..., C] and targets [...] of int64 class indices, summed. The sum of half types is
/// float32. Throws ShapeError for other shapes and ValueError for options out of range.
MINIMA_API TokenLoss token_loss(const Tensor& logits, const Tensor& target, const TokenLossOptions& options = {});

/// token_loss(linear(x, weight, bias), target) without storing all logits, as linear_cross_entropy:
///   x [..., D], weight [C, D], bias [C] or undefined, target [...]
/// With z_loss or soft_cap the backward pass computes the logits again, a part of the rows at a time.
MINIMA_API TokenLoss linear_token_loss(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& target,
                                       const TokenLossOptions& options = {});

}  // namespace minima
