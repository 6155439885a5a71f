#pragma once

#include <minima/distributions/core/distribution.h>

#include <vector>

namespace minima::distributions {

/// The largest of many: density exp(-(z + e⁻ᶻ)) / scale with z = (x - loc) / scale.
class MINIMA_API Gumbel : public Distribution {
 public:
  /// Throws ValueError unless scale > 0.
  Gumbel(const Argument& loc, const Argument& scale);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;
  const char* name() const override { return "Gumbel"; }

  Tensor loc, scale;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit Gumbel(std::vector<Tensor> parameters);
};

/// Density k/λ·(x/λ)ᵏ⁻¹·exp(-(x/λ)ᵏ) for x > 0, with λ = scale and k = concentration.
class MINIMA_API Weibull : public Distribution {
 public:
  /// Throws ValueError unless both are positive.
  Weibull(const Argument& scale, const Argument& concentration);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;
  const char* name() const override { return "Weibull"; }

  Tensor scale, concentration;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit Weibull(std::vector<Tensor> parameters);
};

}  // namespace minima::distributions
