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
};

/// The cross entropy of logits [..., C] and targets [...] of int64 class indices, summed. The sum of half types is
/// float32.
MINIMA_API TokenLoss token_loss(const Tensor& logits, const Tensor& target, const TokenLossOptions& options = {});

/// token_loss(linear(x, weight, bias), target) without storing all logits, as linear_cross_entropy:
///   x [..., D], weight [C, D], bias [C] or undefined, target [...]
MINIMA_API TokenLoss linear_token_loss(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& target,
                                       const TokenLossOptions& options = {});

}  // namespace minima
