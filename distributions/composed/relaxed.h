#pragma once

#include <minima/distributions/composed/transformed.h>
#include <minima/distributions/core/distribution.h>
#include <minima/distributions/discrete/categorical.h>

#include <vector>

// Continuous stand-ins for discrete choices, through whose draws gradients flow (Maddison et al., arXiv:1611.00712;
// Jang et al., arXiv:1611.01144).

namespace minima::distributions {

/// The logit of a RelaxedBernoulli variable.
class MINIMA_API LogitRelaxedBernoulli : public Distribution {
 public:
  /// Throws as Bernoulli does, and ValueError unless temperature > 0.
  LogitRelaxedBernoulli(const Argument& temperature, const ProbsOrLogits& given);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  const char* name() const override { return "LogitRelaxedBernoulli"; }

  Tensor temperature, logits;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit LogitRelaxedBernoulli(std::vector<Tensor> parameters);
};

/// Numbers in (0, 1) that tend to Bernoulli draws as the temperature falls to 0.
///   RelaxedBernoulli gate(0.5, {.logits = net(x)});
///   Tensor open = gate.rsample();
class MINIMA_API RelaxedBernoulli : public TransformedDistribution {
 public:
  RelaxedBernoulli(const Argument& temperature, const ProbsOrLogits& given);
  const char* name() const override { return "RelaxedBernoulli"; }
};

/// The logarithm of a RelaxedOneHotCategorical variable.
class MINIMA_API ExpRelaxedCategorical : public Distribution {
 public:
  /// Throws as Categorical does, and ValueError unless temperature > 0. The temperature is one number.
  ExpRelaxedCategorical(double temperature, const ProbsOrLogits& given);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  const char* name() const override { return "ExpRelaxedCategorical"; }

  double temperature;
  Tensor logits;  ///< [..., C], normalised

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  ExpRelaxedCategorical(double temperature, const Categorical& categorical);
};

/// Probabilities [C] that tend to OneHotCategorical draws as the temperature falls to 0.
class MINIMA_API RelaxedOneHotCategorical : public TransformedDistribution {
 public:
  RelaxedOneHotCategorical(double temperature, const ProbsOrLogits& given);
  Tensor log_prob(const Tensor& value) const override;
  const char* name() const override { return "RelaxedOneHotCategorical"; }
};

/// OneHotCategorical draws whose gradient is that of the probabilities (Bengio et al., arXiv:1308.3432).
class MINIMA_API OneHotCategoricalStraightThrough : public OneHotCategorical {
 public:
  using OneHotCategorical::OneHotCategorical;
  bool has_rsample() const override { return true; }
  const char* name() const override { return "OneHotCategoricalStraightThrough"; }

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;
};

/// Probabilities [C + 1] made of C normal variables by StickBreakingTransform.
class MINIMA_API LogisticNormal : public TransformedDistribution {
 public:
  /// Throws as Normal does.
  LogisticNormal(const Argument& loc, const Argument& scale);
  Tensor log_prob(const Tensor& value) const override;
  const char* name() const override { return "LogisticNormal"; }
};

}  // namespace minima::distributions
