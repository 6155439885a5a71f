#include <minima/distributions/kl.h>

#include <minima/distributions/continuous/extreme_value.h>
#include <minima/distributions/continuous/gamma.h>
#include <minima/distributions/continuous/half_normal.h>
#include <minima/distributions/continuous/heavy_tails.h>
#include <minima/distributions/continuous/laplace.h>
#include <minima/distributions/continuous/normal.h>
#include <minima/distributions/continuous/uniform.h>
#include <minima/distributions/core/distribution.h>
#include <minima/distributions/discrete/bernoulli.h>
#include <minima/distributions/discrete/categorical.h>
#include <minima/distributions/discrete/counts.h>
#include <minima/distributions/multivariate/dirichlet.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <limits>
#include <numbers>

namespace minima::distributions {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// w·(a - b), 0 where w is 0 and ∞ where b is -∞ and w is not.
Tensor expected_difference(const Tensor& weights, const Tensor& a, const Tensor& b) {
  return detail::weighted(weights, a - b);
}

}  // namespace

Tensor kl_divergence(const Normal& p, const Normal& q) {
  const Tensor ratio = square(p.scale / q.scale), shift = square((p.loc - q.loc) / q.scale);
  return 0.5 * (ratio + shift - 1 - log(ratio));
}

Tensor kl_divergence(const LogNormal& p, const LogNormal& q) { return kl_divergence(p.base, q.base); }

Tensor kl_divergence(const Uniform& p, const Uniform& q) {
  const Tensor covered = (q.low <= p.low) & (q.high >= p.high);
  return where(covered, log((q.high - q.low) / (p.high - p.low)), infinite);
}

Tensor kl_divergence(const Laplace& p, const Laplace& q) {
  const Tensor ratio = p.scale / q.scale, distance = abs(p.loc - q.loc);
  return ratio * exp(neg(distance / p.scale)) + distance / q.scale - log(ratio) - 1;
}

Tensor kl_divergence(const Exponential& p, const Exponential& q) {
  const Tensor ratio = q.rate / p.rate;
  return ratio - log(ratio) - 1;
}

Tensor kl_divergence(const Gamma& p, const Gamma& q) {
  const Tensor& c = p.concentration;
  return q.concentration * log(p.rate / q.rate) + lgamma(q.concentration) - lgamma(c) +
         (c - q.concentration) * digamma(c) + (q.rate - p.rate) * (c / p.rate);
}

Tensor kl_divergence(const Beta& p, const Beta& q) {
  const Tensor total = p.concentration1 + p.concentration0, other = q.concentration1 + q.concentration0;
  return lgamma(q.concentration1) + lgamma(q.concentration0) + lgamma(total) - lgamma(p.concentration1) -
         lgamma(p.concentration0) - lgamma(other) + (p.concentration1 - q.concentration1) * digamma(p.concentration1) +
         (p.concentration0 - q.concentration0) * digamma(p.concentration0) + (other - total) * digamma(total);
}

Tensor kl_divergence(const Dirichlet& p, const Dirichlet& q) {
  const Tensor total = sum(p.concentration, -1, true), other = sum(q.concentration, -1);
  const Tensor classes = lgamma(q.concentration) - lgamma(p.concentration) +
                         (p.concentration - q.concentration) * (digamma(p.concentration) - digamma(total));
  return lgamma(squeeze(total, -1)) - lgamma(other) + sum(classes, -1);
}

Tensor kl_divergence(const Cauchy& p, const Cauchy& q) {
  return log((square(p.scale + q.scale) + square(p.loc - q.loc)) / (4 * p.scale * q.scale));
}

Tensor kl_divergence(const Gumbel& p, const Gumbel& q) {
  const Tensor ratio = p.scale / q.scale, distance = (p.loc - q.loc) / q.scale;
  return distance - log(ratio) + (ratio - 1) * std::numbers::egamma + exp(lgamma(1 + ratio) - distance) - 1;
}

Tensor kl_divergence(const HalfNormal& p, const HalfNormal& q) { return kl_divergence(p.base, q.base); }

Tensor kl_divergence(const Pareto& p, const Pareto& q) {
  const Tensor ratio = q.alpha / p.alpha;
  return where(p.scale >= q.scale, q.alpha * log(p.scale / q.scale) - log(ratio) + ratio - 1, infinite);
}

Tensor kl_divergence(const Bernoulli& p, const Bernoulli& q) {
  return expected_difference(p.probs, p.log_success(), q.log_success()) +
         expected_difference(1 - p.probs, p.log_failure(), q.log_failure());
}

Tensor kl_divergence(const Binomial& p, const Binomial& q) {
  if (p.total_count < q.total_count)
    throw ValueError(str("kl_divergence: there is no formula for Binomials of ", p.total_count, " and ", q.total_count,
                         " trials; q must not have more"));
  const Tensor one_trial = kl_divergence(p.trial, q.trial);
  const Tensor all_trials = q.total_count == 0 ? zeros_like(one_trial) : static_cast<double>(q.total_count) * one_trial;
  // Only 0 is a count of both, which is all that p draws if its probability is 0.
  return p.total_count > q.total_count ? where(p.trial.probs == 0, all_trials, infinite) : all_trials;
}

/// A success ends the trials, of which there are 1 / probs on average.
Tensor kl_divergence(const Geometric& p, const Geometric& q) { return kl_divergence(p.trial, q.trial) / p.trial.probs; }

Tensor kl_divergence(const Poisson& p, const Poisson& q) {
  return expected_difference(p.rate, detail::log_or_impossible(p.rate), detail::log_or_impossible(q.rate)) -
         (p.rate - q.rate);
}

Tensor kl_divergence(const Categorical& p, const Categorical& q) {
  return sum(expected_difference(p.probs, p.log_probs(), q.log_probs()), -1);
}

Tensor kl_divergence(const OneHotCategorical& p, const OneHotCategorical& q) {
  return kl_divergence(p.categorical, q.categorical);
}

}  // namespace minima::distributions
