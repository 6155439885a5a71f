#pragma once

#include <minima/distributions/core/distribution.h>

namespace minima::distributions {

/// 1 with probability `probs`, else 0, in the dtype of the parameter. log_prob also takes values between the two.
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

  Tensor probs, logits;  ///< logits = log(probs / (1 - probs))

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;
};

}  // namespace minima::distributions
