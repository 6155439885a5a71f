#pragma once

#include <minima/distributions/core/distribution.h>

namespace minima::distributions {

/// Vectors [..., D] with mean `loc` and covariance W·Wᵀ + diag(d), for W [..., D, R] and d [..., D]. Costs O(D·R²)
/// instead of MultivariateNormal's O(D³).
class MINIMA_API LowRankMultivariateNormal : public Distribution {
 public:
  /// Throws ShapeError for shapes that do not fit, ValueError unless d is positive.
  LowRankMultivariateNormal(const Tensor& loc, const Tensor& cov_factor, const Tensor& cov_diag);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override { return loc; }
  /// The diagonal of the covariance.
  Tensor variance() const override;
  /// [batch..., D, D]
  Tensor covariance_matrix() const;
  const char* name() const override { return "LowRankMultivariateNormal"; }

  Tensor loc, cov_factor, cov_diag;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  struct Parts {
    Tensor loc, factor, diagonal;
  };
  static Parts broadcast_parts(const Tensor& loc, const Tensor& factor, const Tensor& diagonal);
  explicit LowRankMultivariateNormal(const Parts& parts);
  /// log det of the covariance.
  Tensor log_determinant() const;

  Tensor scaled_;       ///< Wᵀ·diag(1/d)
  Tensor capacitance_;  ///< the lower triangular factor of I + Wᵀ·diag(1/d)·W
};

}  // namespace minima::distributions
