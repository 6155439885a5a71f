#pragma once

#include <minima/distributions/continuous/bounded.h>
#include <minima/distributions/continuous/extreme_value.h>
#include <minima/distributions/continuous/gamma.h>
#include <minima/distributions/continuous/heavy_tails.h>
#include <minima/distributions/continuous/laplace.h>
#include <minima/distributions/continuous/normal.h>
#include <minima/distributions/continuous/uniform.h>
#include <minima/distributions/discrete/bernoulli.h>
#include <minima/distributions/discrete/counts.h>
#include <minima/distributions/multivariate/dirichlet.h>
#include <minima/distributions/multivariate/low_rank_multivariate_normal.h>
#include <minima/distributions/multivariate/multivariate_normal.h>

#include <concepts>
#include <functional>

// KL(p ‖ q) of numbers from different families, as -H(p) - E_p[log q]. The second term needs a few moments of p, and
// each family of q says which.

namespace minima::distributions {

/// Holds the moments of a distribution p of real numbers, [batch...] each; undefined where there is no formula.
struct Moments {
  const char* name;
  Tensor low, high;  ///< bounds of the support
  Tensor entropy, mean, variance;
  Tensor mean_log, mean_log1m;                       ///< E[log x] for low ≥ 0 and E[log(1 - x)] for high ≤ 1
  std::function<Tensor(const Tensor& t)> laplace{};  ///< E[exp(-t·x)] for t > 0
};

/// Return the moments of p that kl_divergence below needs.
MINIMA_API Moments moments_of(const Beta& p);
MINIMA_API Moments moments_of(const ContinuousBernoulli& p);
MINIMA_API Moments moments_of(const Exponential& p);
MINIMA_API Moments moments_of(const Gamma& p);
MINIMA_API Moments moments_of(const Gumbel& p);
MINIMA_API Moments moments_of(const Laplace& p);
MINIMA_API Moments moments_of(const Normal& p);
MINIMA_API Moments moments_of(const Pareto& p);
MINIMA_API Moments moments_of(const Uniform& p);

/// KL(p ‖ q) in nats, ∞ where p has values that q has not. Throws ValueError where there is no formula.
MINIMA_API Tensor kl_divergence(const Moments& p, const Beta& q);
MINIMA_API Tensor kl_divergence(const Moments& p, const ContinuousBernoulli& q);
MINIMA_API Tensor kl_divergence(const Moments& p, const Exponential& q);
MINIMA_API Tensor kl_divergence(const Moments& p, const Gamma& q);
MINIMA_API Tensor kl_divergence(const Moments& p, const Gumbel& q);
MINIMA_API Tensor kl_divergence(const Moments& p, const Normal& q);
MINIMA_API Tensor kl_divergence(const Moments& p, const Pareto& q);
MINIMA_API Tensor kl_divergence(const Moments& p, const Uniform& q);

/// Any two of Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace (as p), Normal, Pareto and Uniform.
template <class P, class Q>
requires(!std::same_as<P, Q>) && requires(const P& p, const Q& q) { kl_divergence(moments_of(p), q); }
Tensor kl_divergence(const P& p, const Q& q) {
  return kl_divergence(moments_of(p), q);
}

/// Further pairs with a formula; those of low-rank covariances cost as much as MultivariateNormal.
MINIMA_API Tensor kl_divergence(const ContinuousBernoulli& p, const ContinuousBernoulli& q);
Tensor kl_divergence(const ContinuousBernoulli& p, const Beta& q) = delete;   // E[log x] has no formula
Tensor kl_divergence(const ContinuousBernoulli& p, const Gamma& q) = delete;  // likewise
MINIMA_API Tensor kl_divergence(const LowRankMultivariateNormal& p, const LowRankMultivariateNormal& q);
MINIMA_API Tensor kl_divergence(const LowRankMultivariateNormal& p, const MultivariateNormal& q);
MINIMA_API Tensor kl_divergence(const MultivariateNormal& p, const LowRankMultivariateNormal& q);
MINIMA_API Tensor kl_divergence(const Normal& p, const Laplace& q);
MINIMA_API Tensor kl_divergence(const Bernoulli& p, const Poisson& q);
/// ∞ unless the rate is 0: counts have no bound.
MINIMA_API Tensor kl_divergence(const Poisson& p, const Bernoulli& q);
MINIMA_API Tensor kl_divergence(const Poisson& p, const Binomial& q);

}  // namespace minima::distributions
