#pragma once

#include <minima/distributions/continuous/normal.h>
#include <minima/distributions/core/distribution.h>

namespace minima::distributions {

/// The size |x| of a normal variable with mean 0.
class MINIMA_API HalfNormal : public Distribution {
 public:
  /// Throws ValueError unless scale > 0.
  explicit HalfNormal(const Argument& scale);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;
  const char* name() const override { return "HalfNormal"; }

  Normal base;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit HalfNormal(Normal signed_variable);
};

}  // namespace minima::distributions
