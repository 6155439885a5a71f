#pragma once

#include <minima/distributions/core/distribution.h>

#include <vector>

namespace minima::distributions {

/// Density a·b·xᵃ⁻¹·(1 - xᵃ)ᵇ⁻¹ on (0, 1), with a = concentration1 and b = concentration0.
class MINIMA_API Kumaraswamy : public Distribution {
 public:
  /// Throws ValueError unless both are positive.
  Kumaraswamy(const Argument& concentration1, const Argument& concentration0);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override { return moment(1); }
  Tensor variance() const override;
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;
  const char* name() const override { return "Kumaraswamy"; }

  Tensor concentration1, concentration0;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit Kumaraswamy(std::vector<Tensor> parameters);
  /// The mean of xⁿ.
  Tensor moment(double n) const;
};

/// The ratio of two χ² variables, each over its degrees of freedom. The mean is NaN for df2 ≤ 2, the variance for
/// df2 ≤ 4.
class MINIMA_API FisherSnedecor : public Distribution {
 public:
  /// Throws ValueError unless both are positive.
  FisherSnedecor(const Argument& df1, const Argument& df2);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor mean() const override;
  Tensor variance() const override;
  const char* name() const override { return "FisherSnedecor"; }

  Tensor df1, df2;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit FisherSnedecor(std::vector<Tensor> parameters);
};

}  // namespace minima::distributions
