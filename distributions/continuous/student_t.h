#pragma once

#include <minima/distributions/core/distribution.h>

namespace minima::distributions {

/// Student's t with `df` degrees of freedom, shifted by `loc` and stretched by `scale`. The mean is NaN for df ≤ 1; the
/// variance is infinite for df ≤ 2 and NaN for df ≤ 1.
class MINIMA_API StudentT : public Distribution {
 public:
  /// Throws ValueError unless df and scale are positive.
  explicit StudentT(const Argument& df, const Argument& loc = 0, const Argument& scale = 1);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  const char* name() const override { return "StudentT"; }

  Tensor df, loc, scale;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  explicit StudentT(std::vector<Tensor> parameters);
};

}  // namespace minima::distributions
