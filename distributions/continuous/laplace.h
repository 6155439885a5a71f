#pragma once

#include <minima/distributions/core/distribution.h>

namespace minima::distributions {

/// Density exp(-|x - loc| / scale) / (2·scale).
class MINIMA_API Laplace : public Distribution {
 public:
  /// Throws ValueError unless scale > 0.
  Laplace(const Argument& loc, const Argument& scale);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override { return loc; }
  Tensor variance() const override;
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;
  const char* name() const override { return "Laplace"; }

  Tensor loc, scale;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit Laplace(std::vector<Tensor> parameters);
};

}  // namespace minima::distributions
