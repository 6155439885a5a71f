#pragma once

#include <minima/distributions/core/distribution.h>

namespace minima::distributions {

/// Classes 0 … C - 1 (int64) with probabilities [..., C]. It has no mean: classes are not numbers. log_prob takes a
/// probability that was given as 0 for the dtype's epsilon, so that it stays finite, as PyTorch does; entropy and KL
/// divergence are exact.
///   Categorical policy({.logits = net(state)});
///   Tensor action = policy.sample(), loss = mean(-policy.log_prob(action) * advantage);
class MINIMA_API Categorical : public Distribution {
 public:
  /// Throws ValueError unless exactly one of probs and logits is given and probs are not negative; ShapeError for a
  /// rank of 0.
  explicit Categorical(const ProbsOrLogits& given);
  /// Classes of any dtype. A fraction is -∞; a number that is no class is an IndexError, as of gather.
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  const char* name() const override { return "Categorical"; }
  /// The exact log(probs), -∞ for probabilities that are given as 0.
  Tensor log_probs() const;

  Tensor probs, logits;  ///< [..., C], normalised: logits = log(probs)

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  bool has_probs_;  ///< rather than logits
};

/// The same classes as vectors [C] of zeros and a one, in the dtype of the parameter.
class MINIMA_API OneHotCategorical : public Distribution {
 public:
  /// Throws as Categorical does.
  explicit OneHotCategorical(const ProbsOrLogits& given);
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override { return categorical.entropy(); }
  Tensor mean() const override { return categorical.probs; }
  Tensor variance() const override;
  const char* name() const override { return "OneHotCategorical"; }

  Categorical categorical;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;
};

/// How often each class came up in `total_count` draws: vectors [C] in the dtype of the parameter.
class MINIMA_API Multinomial : public Distribution {
 public:
  /// Throws as Categorical does, and ValueError for a total_count below 1.
  Multinomial(std::int64_t total_count, const ProbsOrLogits& given);
  Tensor log_prob(const Tensor& value) const override;
  /// A sum over all counts of each class, in memory of total_count times the probabilities'.
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  const char* name() const override { return "Multinomial"; }

  std::int64_t total_count;
  Categorical categorical;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;
};

}  // namespace minima::distributions
