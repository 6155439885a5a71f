#pragma once

#include <minima/distributions/core/distribution.h>

namespace minima::distributions {

/// 1 with probability `probs`, else 0, in the dtype of the parameter. log_prob takes a probability that was given as 0
/// or 1 for one that differs by the dtype's epsilon, so that it stays finite, as PyTorch does; entropy and KL
/// divergence are exact.
///   Bernoulli decoder({.logits = net(z)});
class MINIMA_API Bernoulli : public Distribution {
 public:
  /// Throws ValueError unless exactly one of probs and logits is given, and for probs outside [0, 1].
  explicit Bernoulli(const ProbsOrLogits& given);
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override { return probs; }
  Tensor variance() const override;
  const char* name() const override { return "Bernoulli"; }
  /// The exact logarithms of the probabilities of 1 and of 0: -∞ for one that is given as 0.
  Tensor log_success() const;
  Tensor log_failure() const;

  Tensor probs, logits;  ///< logits = log(probs / (1 - probs))

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  bool has_probs_;  ///< rather than logits
};

}  // namespace minima::distributions
