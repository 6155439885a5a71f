#pragma once

#include <minima/distributions/core/distribution.h>
#include <minima/distributions/discrete/bernoulli.h>

#include <cstdint>
#include <vector>

// Counts are whole numbers in the floating dtype of the parameter.

namespace minima::distributions {

/// The number of failures before the first success: probability (1 - p)ᵏ·p of k = 0, 1, ….
class MINIMA_API Geometric : public Distribution {
 public:
  /// Throws ValueError unless exactly one of probs and logits is given, and for probs outside [0, 1].
  explicit Geometric(const ProbsOrLogits& given);
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  const char* name() const override { return "Geometric"; }

  Bernoulli trial;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;
};

/// The number of successes in `total_count` trials.
class MINIMA_API Binomial : public Distribution {
 public:
  /// Throws as Bernoulli does, and ValueError for a total_count below 1.
  Binomial(std::int64_t total_count, const ProbsOrLogits& given);
  Tensor log_prob(const Tensor& value) const override;
  Tensor mean() const override;
  Tensor variance() const override;
  const char* name() const override { return "Binomial"; }

  std::int64_t total_count;
  Bernoulli trial;

 protected:
  /// Draws all trials, one after the other.
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;
};

/// Probability rateᵏ·exp(-rate) / k! of k = 0, 1, ….
class MINIMA_API Poisson : public Distribution {
 public:
  /// Throws ValueError unless rate > 0.
  explicit Poisson(const Argument& rate);
  Tensor log_prob(const Tensor& value) const override;
  Tensor mean() const override { return rate; }
  Tensor variance() const override { return rate; }
  const char* name() const override { return "Poisson"; }

  Tensor rate;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit Poisson(std::vector<Tensor> parameters);
};

/// The number of successes before `total_count` failures, which need not be whole:
/// probability Γ(total_count + k) / (k!·Γ(total_count))·(1 - p)^total_count·pᵏ of k = 0, 1, ….
class MINIMA_API NegativeBinomial : public Distribution {
 public:
  /// Throws as Bernoulli does, and ValueError unless total_count > 0.
  NegativeBinomial(const Argument& total_count, const ProbsOrLogits& given);
  Tensor log_prob(const Tensor& value) const override;
  Tensor mean() const override;
  Tensor variance() const override;
  const char* name() const override { return "NegativeBinomial"; }

  Tensor total_count, logits;

 protected:
  /// Poisson draws with rates that follow a Gamma distribution.
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit NegativeBinomial(std::vector<Tensor> parameters);
};

}  // namespace minima::distributions
