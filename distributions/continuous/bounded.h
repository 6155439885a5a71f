#pragma once

#include <minima/distributions/core/distribution.h>

#include <vector>

namespace minima::distributions {

/// Numbers in [0, 1] with a density proportional to probsˣ·(1 - probs)¹⁻ˣ (Loaiza-Ganem, Cunningham 2019). Between
/// 0.499 and 0.501, where formulas would lose digits, they are Taylor series about ½.
class MINIMA_API ContinuousBernoulli : public Distribution {
 public:
  /// Throws ValueError unless exactly one of probs and logits is given, and for probs outside [0, 1].
  explicit ContinuousBernoulli(const ProbsOrLogits& given);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;
  const char* name() const override { return "ContinuousBernoulli"; }
  /// The logarithm of the factor that makes the density's integral 1.
  Tensor log_normalizer() const;

  Tensor probs, logits;  ///< logits = log(probs / (1 - probs))

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  Tensor far_from_half_, shifted_;  ///< where the formulas hold, and probs there
};

/// Angles in [-π, π) with density exp(κ·cos(x - loc)) / (2π·I₀(κ)) for κ = concentration. Draws are made by rejection
/// (Best, Fisher 1979), which reads back from the device how many are missing, and have no gradient. The variance is
/// the circular one, 1 - I₁(κ) / I₀(κ).
class MINIMA_API VonMises : public Distribution {
 public:
  /// Throws ValueError unless concentration > 0.
  VonMises(const Argument& loc, const Argument& concentration);
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override { return loc; }
  Tensor variance() const override;
  const char* name() const override { return "VonMises"; }

  Tensor loc, concentration;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit VonMises(std::vector<Tensor> parameters);
};

}  // namespace minima::distributions
