#pragma once

#include <minima/distributions/core/distribution.h>

namespace minima::distributions {

/// Normal with mean `loc` and standard deviation `scale`: density exp(-((x - loc) / scale)² / 2) / (scale·√(2π)).
///   Normal policy(mean, exp(log_std));
///   Tensor action = policy.rsample(), logp = policy.log_prob(action);
class MINIMA_API Normal : public Distribution {
 public:
  /// Throws ValueError unless scale > 0.
  Normal(const Argument& loc, const Argument& scale);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override { return loc; }
  Tensor variance() const override;
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;
  const char* name() const override { return "Normal"; }

  Tensor loc, scale;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit Normal(std::vector<Tensor> parameters);
};

/// The exponential of a normal variable with mean `loc` and standard deviation `scale`.
class MINIMA_API LogNormal : public Distribution {
 public:
  /// Throws ValueError unless scale > 0.
  LogNormal(const Argument& loc, const Argument& scale);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;
  const char* name() const override { return "LogNormal"; }

  Normal base;  ///< of the logarithm

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit LogNormal(Normal of_logarithm);
};

}  // namespace minima::distributions
