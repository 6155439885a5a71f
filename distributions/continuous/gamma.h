#pragma once

#include <minima/distributions/core/distribution.h>

namespace minima::distributions {

/// Density rateᶜ xᶜ⁻¹ exp(-rate·x) / Γ(c) with c = concentration. Draws are made by rejection (Marsaglia and Tsang
/// 2000), which reads back from the device how many are missing. Their gradient with respect to the concentration is
/// implicit, -(∂F/∂c) / density (Figurnov et al. 2018), and differentiable itself.
class MINIMA_API Gamma : public Distribution {
 public:
  /// Throws ValueError unless both are positive.
  Gamma(const Argument& concentration, const Argument& rate);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  /// Differentiable with respect to the value and the rate; a gradient by the concentration is an AutogradError.
  Tensor cdf(const Tensor& value) const override;
  const char* name() const override { return "Gamma"; }

  Tensor concentration, rate;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit Gamma(std::vector<Tensor> parameters);
};

/// Density rate·exp(-rate·x) for x ≥ 0.
class MINIMA_API Exponential : public Distribution {
 public:
  /// Throws ValueError unless rate > 0.
  explicit Exponential(const Argument& rate);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;
  const char* name() const override { return "Exponential"; }

  Tensor rate;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit Exponential(std::vector<Tensor> parameters);
};

}  // namespace minima::distributions
