#pragma once

#include <minima/distributions/core/distribution.h>

namespace minima::distributions {

/// Uniform on [low, high).
class MINIMA_API Uniform : public Distribution {
 public:
  /// Throws ValueError unless low < high.
  Uniform(const Argument& low, const Argument& high);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;
  const char* name() const override { return "Uniform"; }

  Tensor low, high;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit Uniform(std::vector<Tensor> parameters);
};

}  // namespace minima::distributions
