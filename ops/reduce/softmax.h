#pragma once

#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

// Softmax, its logarithm and its relatives along one dimension.

namespace minima {

/// exp(x) / Σ exp(x) along one dimension, without overflow. Floating dtypes; half types compute in float32. A line of
/// only -inf, or with NaN or +inf, gives NaN.
MINIMA_API Tensor softmax(const Tensor& x, std::int64_t dim);
/// x - log Σ exp(x) along one dimension, accurate where softmax would underflow.
MINIMA_API Tensor log_softmax(const Tensor& x, std::int64_t dim);
/// softmax(-x).
MINIMA_API Tensor softmin(const Tensor& x, std::int64_t dim);

struct GumbelSoftmaxOptions {
  double tau = 1;     ///< the temperature: the lower, the closer to one class
  bool hard = false;  ///< return one-hot vectors, with the gradient of the soft ones
  std::int64_t dim = -1;
};
/// A differentiable draw of classes: softmax((logits + Gumbel noise) / tau) (Jang et al. 2017).
/// torch.nn.functional.gumbel_softmax. Throws ValueError unless tau > 0, DTypeError for logits that are not floating.
MINIMA_API Tensor gumbel_softmax(const Tensor& logits, const GumbelSoftmaxOptions& options = {},
                                 RandomGenerator* generator = nullptr);

}  // namespace minima
