#pragma once

#include <minima/distributions/core/distribution.h>
#include <minima/distributions/discrete/bernoulli.h>

#include <cstdint>
#include <functional>
#include <vector>

// Counts are whole numbers in the floating dtype of the parameter.

namespace minima::distributions {

/// The number of failures before the first success: probability (1 - p)ᵏ·p of k = 0, 1, ….
class MINIMA_API Geometric : public Distribution {
 public:
  /// Throws ValueError unless exactly one of probs and logits is given, and for probs outside (0, 1].
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

/// The number of successes in `total_count` trials. Probabilities of 0 and 1 are Bernoulli's.
class MINIMA_API Binomial : public Distribution {
 public:
  /// Throws as Bernoulli does, and ValueError for a negative total_count.
  Binomial(std::int64_t total_count, const ProbsOrLogits& given);
  Tensor log_prob(const Tensor& value) const override;
  /// A sum over all counts, in memory of total_count + 1 times the parameter's.
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  const char* name() const override { return "Binomial"; }
  /// The mean of f(count), where f takes and returns [total_count + 1, ...]: [batch...].
  Tensor mean_of(const std::function<Tensor(const Tensor& count)>& f) const;

  std::int64_t total_count;
  Bernoulli trial;

 protected:
  /// Draws all trials, one after the other.
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  /// log_prob of counts k with these logarithms of a trial's probabilities.
  Tensor log_prob_of(const Tensor& k, const Tensor& log_success, const Tensor& log_failure) const;
  /// 0, …, total_count as [total_count + 1, 1, ...], with as many dimensions more as the batch has.
  Tensor counts() const;
};

/// Probability rateᵏ·exp(-rate) / k! of k = 0, 1, ….
class MINIMA_API Poisson : public Distribution {
 public:
  /// Throws ValueError unless rate ≥ 0. A rate of 0 always draws 0.
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
