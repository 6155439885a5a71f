#pragma once

#include <minima/distributions/core/distribution.h>

namespace minima::distributions {

/// Density xᵃ⁻¹ (1 - x)ᵇ⁻¹ Γ(a + b) / (Γ(a) Γ(b)) on [0, 1], a = concentration1, b = concentration0. Draws are ratios
/// of gamma variables, with their implicit gradients.
class MINIMA_API Beta : public Distribution {
 public:
  /// Throws ValueError unless both are positive.
  Beta(const Argument& concentration1, const Argument& concentration0);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  const char* name() const override { return "Beta"; }

  Tensor concentration1, concentration0;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit Beta(std::vector<Tensor> parameters);
};

/// Vectors of probabilities [..., C] with density Π xᵢ^(cᵢ - 1) Γ(Σ cᵢ) / Π Γ(cᵢ) for concentrations c [..., C]. Draws
/// are normalised gamma variables, with their implicit gradients.
class MINIMA_API Dirichlet : public Distribution {
 public:
  /// Throws ValueError unless all are positive, ShapeError for a rank of 0.
  explicit Dirichlet(const Tensor& concentration);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  const char* name() const override { return "Dirichlet"; }

  Tensor concentration;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;
};

}  // namespace minima::distributions
