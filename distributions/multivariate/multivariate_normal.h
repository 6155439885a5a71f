#pragma once

#include <minima/distributions/core/distribution.h>

namespace minima::distributions {

/// One of the two is given.
struct Covariance {
  Tensor matrix = {};      ///< [..., D, D], positive definite: torch's `covariance_matrix`
  Tensor scale_tril = {};  ///< its lower triangular Cholesky factor, with a positive diagonal
};

/// Vectors [..., D] with mean `loc` and this covariance. It is factored once, in O(D³); log_prob costs O(D²) for each
/// vector.
///   MultivariateNormal law(zeros({2}), {.matrix = tensor({{2.0, 0.5}, {0.5, 1.0}})});
class MINIMA_API MultivariateNormal : public Distribution {
 public:
  /// Throws ValueError unless exactly one matrix is given, and for one that is not positive definite; ShapeError for
  /// shapes that do not fit.
  MultivariateNormal(const Tensor& loc, const Covariance& covariance);
  bool has_rsample() const override { return true; }
  Tensor log_prob(const Tensor& value) const override;
  Tensor entropy() const override;
  Tensor mean() const override { return loc; }
  /// The diagonal of the covariance.
  Tensor variance() const override;
  /// [batch..., D, D]
  Tensor covariance_matrix() const;
  const char* name() const override { return "MultivariateNormal"; }

  Tensor loc, scale_tril;

 protected:
  Tensor draw(const Shape& shape, RandomGenerator* generator) const override;

 private:
  struct Parts {
    Tensor loc, scale_tril, factor;
  };
  static Parts broadcast_parts(const Tensor& loc, const Covariance& covariance);
  explicit MultivariateNormal(const Parts& parts);
  friend MINIMA_API Tensor kl_divergence(const MultivariateNormal& p, const MultivariateNormal& q);

  Tensor factor_;  ///< scale_tril before it was expanded to the batch
};

/// KL(p ‖ q) as in distributions/kl.h.
MINIMA_API Tensor kl_divergence(const MultivariateNormal& p, const MultivariateNormal& q);

}  // namespace minima::distributions
