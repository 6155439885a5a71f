#pragma once

#include <minima/distributions/continuous/gamma.h>
#include <minima/distributions/core/distribution.h>

#include <vector>

namespace minima::distributions {

/// Density 1 / (π·scale·(1 + ((x - loc) / scale)²)). The mean is NaN, the variance infinite.
class MINIMA_API Cauchy : public Distribution {
 public:
  /// Throws ValueError unless scale > 0.
  Cauchy(const Argument& loc, const Argument& scale);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;
  const char* name() const override { return "Cauchy"; }

  Tensor loc, scale;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit Cauchy(std::vector<Tensor> parameters);
};

/// The size of a Cauchy variable with median 0. Mean and variance are infinite.
class MINIMA_API HalfCauchy : public Distribution {
 public:
  /// Throws ValueError unless scale > 0.
  explicit HalfCauchy(const Argument& scale);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override { return mean(); }
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;
  const char* name() const override { return "HalfCauchy"; }

  Cauchy base;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit HalfCauchy(Cauchy signed_variable);
};

/// Density α·scaleᵅ / xᵅ⁺¹ for x ≥ scale. The mean is infinite for α ≤ 1, the variance for α ≤ 2.
class MINIMA_API Pareto : public Distribution {
 public:
  /// Throws ValueError unless both are positive.
  Pareto(const Argument& scale, const Argument& alpha);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;
  const char* name() const override { return "Pareto"; }

  Tensor scale, alpha;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit Pareto(std::vector<Tensor> parameters);
};

/// The law of values above a high threshold `loc`: density (1 + c·z)^(-1/c - 1) / scale with z = (x - loc) / scale and
/// c = concentration, e⁻ᶻ / scale for c = 0, where z ≥ 0 and c·z > -1. The mean is infinite for c ≥ 1, the variance for
/// c ≥ ½.
class MINIMA_API GeneralizedPareto : public Distribution {
 public:
  /// Throws ValueError unless scale > 0.
  GeneralizedPareto(const Argument& loc, const Argument& scale, const Argument& concentration);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;
  const char* name() const override { return "GeneralizedPareto"; }

  Tensor loc, scale, concentration;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit GeneralizedPareto(std::vector<Tensor> parameters);
  /// -log(1 - cdf) of z.
  Tensor hazard(const Tensor& z) const;

  Tensor is_zero_, slope_;  ///< where c = 0, and c elsewhere
};

/// The reciprocal of a Gamma(concentration, rate) variable. The mean is infinite for c ≤ 1, the variance for c ≤ 2.
class MINIMA_API InverseGamma : public Distribution {
 public:
  /// Throws ValueError unless both are positive.
  InverseGamma(const Argument& concentration, const Argument& rate);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  /// Differentiable with respect to the value and the rate; a gradient by the concentration is an AutogradError.
  Tensor cdf(const Tensor& value) const override;
  const char* name() const override { return "InverseGamma"; }

  Gamma base;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit InverseGamma(Gamma reciprocal);
};

}  // namespace minima::distributions
