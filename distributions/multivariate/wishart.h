#pragma once

#include <minima/distributions/core/distribution.h>
#include <minima/distributions/multivariate/multivariate_normal.h>

namespace minima::distributions {

/// Sums Σ x·xᵀ of `df` normal vectors of this covariance: positive definite matrices [..., D, D], also for df that is
/// no integer. Draws by Bartlett's decomposition.
///   Wishart law(full({}, 5), {.matrix = eye(3)});
class MINIMA_API Wishart : public Distribution {
 public:
  /// Throws ValueError unless df > D - 1 and exactly one matrix is given, and for one that is not positive definite;
  /// ShapeError for shapes that do not fit.
  Wishart(const Tensor& df, const Covariance& covariance);
  bool has_rsample() const override { return true; }
  /// -∞ for matrices that are not positive definite.
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  /// [batch..., D, D]
  Tensor covariance_matrix() const;
  const char* name() const override { return "Wishart"; }

  Tensor df, scale_tril;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  struct Parts {
    Tensor df, scale_tril;
  };
  static Parts broadcast_parts(const Tensor& df, const Covariance& covariance);
  explicit Wishart(const Parts& parts);
};

/// KL(p ‖ q) as in distributions/kl.h.
MINIMA_API Tensor kl_divergence(const Wishart& p, const Wishart& q);

/// The Cholesky factors [D, D] of correlation matrices with a density proportional to det(L·Lᵀ)^(concentration - 1)
/// (Lewandowski, Kurowicka, Joe 2009). Draws by the onion method.
class MINIMA_API LKJCholesky : public Distribution {
 public:
  /// Throws ValueError unless dim ≥ 2 and concentration > 0.
  explicit LKJCholesky(std::int64_t dim, const Argument& concentration = 1.0);
  Tensor log_prob(const Tensor& value) const override;
  const char* name() const override { return "LKJCholesky"; }

  std::int64_t dim;
  Tensor concentration;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  LKJCholesky(std::int64_t dim, const Tensor& concentration, bool checked);
};

}  // namespace minima::distributions
