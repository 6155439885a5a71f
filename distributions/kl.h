#pragma once

#include <minima/distributions/composed/independent.h>
#include <minima/distributions/continuous/extreme_value.h>
#include <minima/distributions/continuous/gamma.h>
#include <minima/distributions/continuous/half_normal.h>
#include <minima/distributions/continuous/heavy_tails.h>
#include <minima/distributions/continuous/laplace.h>
#include <minima/distributions/continuous/normal.h>
#include <minima/distributions/continuous/uniform.h>
#include <minima/distributions/discrete/bernoulli.h>
#include <minima/distributions/discrete/categorical.h>
#include <minima/distributions/discrete/counts.h>
#include <minima/distributions/multivariate/dirichlet.h>

namespace minima::distributions {

/// The Kullback-Leibler divergence KL(p ‖ q) = E_p[log p - log q] of two distributions of one family (of two:
/// kl_families.h), [batch...], in nats. Differentiable with respect to the parameters of both. ∞ where p has values
/// that q has not.
MINIMA_API Tensor kl_divergence(const Normal& p, const Normal& q);
MINIMA_API Tensor kl_divergence(const LogNormal& p, const LogNormal& q);
MINIMA_API Tensor kl_divergence(const Uniform& p, const Uniform& q);
MINIMA_API Tensor kl_divergence(const Laplace& p, const Laplace& q);
MINIMA_API Tensor kl_divergence(const Exponential& p, const Exponential& q);
MINIMA_API Tensor kl_divergence(const Gamma& p, const Gamma& q);
MINIMA_API Tensor kl_divergence(const Beta& p, const Beta& q);
MINIMA_API Tensor kl_divergence(const Dirichlet& p, const Dirichlet& q);
MINIMA_API Tensor kl_divergence(const Cauchy& p, const Cauchy& q);
MINIMA_API Tensor kl_divergence(const Gumbel& p, const Gumbel& q);
MINIMA_API Tensor kl_divergence(const HalfNormal& p, const HalfNormal& q);
MINIMA_API Tensor kl_divergence(const Pareto& p, const Pareto& q);
MINIMA_API Tensor kl_divergence(const Bernoulli& p, const Bernoulli& q);
/// Throws ValueError where q has more trials than p: there is no formula.
MINIMA_API Tensor kl_divergence(const Binomial& p, const Binomial& q);
MINIMA_API Tensor kl_divergence(const Geometric& p, const Geometric& q);
MINIMA_API Tensor kl_divergence(const Poisson& p, const Poisson& q);
MINIMA_API Tensor kl_divergence(const Categorical& p, const Categorical& q);
MINIMA_API Tensor kl_divergence(const OneHotCategorical& p, const OneHotCategorical& q);
template <class Base>
Tensor kl_divergence(const Independent<Base>& p, const Independent<Base>& q) {
  if (p.dims != q.dims)
    throw ValueError(str("kl_divergence: the events of p and q have ", p.dims, " and ", q.dims, " dimensions"));
  return detail::sum_rightmost(kl_divergence(p.base, q.base), p.dims);
}

}  // namespace minima::distributions
