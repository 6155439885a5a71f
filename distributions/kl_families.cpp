#include <minima/distributions/kl_families.h>

#include <minima/distributions/continuous/bounded.h>
#include <minima/distributions/continuous/extreme_value.h>
#include <minima/distributions/continuous/gamma.h>
#include <minima/distributions/continuous/heavy_tails.h>
#include <minima/distributions/continuous/laplace.h>
#include <minima/distributions/continuous/normal.h>
#include <minima/distributions/continuous/uniform.h>
#include <minima/distributions/core/distribution.h>
#include <minima/distributions/discrete/bernoulli.h>
#include <minima/distributions/discrete/counts.h>
#include <minima/distributions/multivariate/dirichlet.h>
#include <minima/distributions/multivariate/low_rank_multivariate_normal.h>
#include <minima/distributions/multivariate/multivariate_normal.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace minima::distributions {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
const double log_two_pi = std::log(2 * std::numbers::pi);

/// Numbers of this value with the dtype and device of `like`.
Tensor constant(double value, const Tensor& like) {
  return full({}, value, {.dtype = like.dtype(), .device = like.device()});
}
Tensor real_line_end(double sign, const Tensor& like) { return constant(sign * unbounded, like); }

/// x·log x, 0 where x ≤ 0, also for the gradient.
Tensor x_log_x(const Tensor& x) {
  const Tensor positive = x > 0;
  return where(positive, x * log(where(positive, x, 1)), 0);
}
/// The mean of log x over low … high.
Tensor mean_log_between(const Tensor& low, const Tensor& high) {
  return (x_log_x(high) - x_log_x(low)) / (high - low) - 1;
}

Tensor log_beta(const Beta& q) {
  return lgamma(q.concentration1) + lgamma(q.concentration0) - lgamma(q.concentration1 + q.concentration0);
}

/// KL(p ‖ q) = ∞ for all parameters.
Tensor always_unbounded(const Tensor& p, const Tensor& q) {
  const Tensor both = p.detach() + q.detach();
  return full(both.shape(), unbounded, {.dtype = both.dtype(), .device = both.device()});
}

/// The moments of a distribution over all real numbers.
template <class P, class F>
Moments moments_on_line(const P& p, F laplace) {
  return {.name = p.name(),
          .low = real_line_end(-1, p.loc),
          .high = real_line_end(1, p.loc),
          .entropy = p.entropy(),
          .mean = p.mean(),
          .variance = p.variance(),
          .mean_log = {},
          .mean_log1m = {},
          .laplace = std::move(laplace)};
}

}  // namespace

Moments moments_of(const Beta& p) {
  const Tensor all = digamma(p.concentration1 + p.concentration0);
  return {.name = p.name(),
          .low = constant(0, all),
          .high = constant(1, all),
          .entropy = p.entropy(),
          .mean = p.mean(),
          .variance = p.variance(),
          .mean_log = digamma(p.concentration1) - all,
          .mean_log1m = digamma(p.concentration0) - all};
}

Moments moments_of(const ContinuousBernoulli& p) {
  return {.name = p.name(),
          .low = constant(0, p.probs),
          .high = constant(1, p.probs),
          .entropy = p.entropy(),
          .mean = p.mean(),
          .variance = p.variance(),
          .mean_log = {},
          .mean_log1m = {}};
}

Moments moments_of(const Exponential& p) {
  return {.name = p.name(),
          .low = constant(0, p.rate),
          .high = real_line_end(1, p.rate),
          .entropy = p.entropy(),
          .mean = p.mean(),
          .variance = p.variance(),
          .mean_log = neg(log(p.rate)) - std::numbers::egamma,
          .mean_log1m = {},
          .laplace = [rate = p.rate](const Tensor& t) { return rate / (rate + t); }};
}

Moments moments_of(const Gamma& p) {
  return {.name = p.name(),
          .low = constant(0, p.rate),
          .high = real_line_end(1, p.rate),
          .entropy = p.entropy(),
          .mean = p.mean(),
          .variance = p.variance(),
          .mean_log = digamma(p.concentration) - log(p.rate),
          .mean_log1m = {},
          .laplace = [p](const Tensor& t) { return exp(neg(p.concentration * log1p(t / p.rate))); }};
}

Moments moments_of(const Gumbel& p) {
  return moments_on_line(p, [p](const Tensor& t) { return exp(lgamma(1 + p.scale * t) - p.loc * t); });
}

Moments moments_of(const Laplace& p) {
  return moments_on_line(p, [p](const Tensor& t) {
    const Tensor square_of_t = square(p.scale * t), converges = square_of_t < 1;
    return where(converges, exp(neg(p.loc * t)) / (1 - where(converges, square_of_t, 0)), unbounded);
  });
}

Moments moments_of(const Normal& p) {
  return moments_on_line(p, [p](const Tensor& t) { return exp(0.5 * square(p.scale * t) - p.loc * t); });
}

Moments moments_of(const Pareto& p) {
  return {.name = p.name(),
          .low = p.scale,
          .high = real_line_end(1, p.scale),
          .entropy = p.entropy(),
          .mean = p.mean(),
          .variance = p.variance(),
          .mean_log = log(p.scale) + reciprocal(p.alpha),
          .mean_log1m = {}};
}

Moments moments_of(const Uniform& p) {
  return {.name = p.name(),
          .low = p.low,
          .high = p.high,
          .entropy = p.entropy(),
          .mean = p.mean(),
          .variance = p.variance(),
          .mean_log = mean_log_between(p.low, p.high),
          .mean_log1m = mean_log_between(1 - p.high, 1 - p.low),
          .laplace = [p](const Tensor& t) {
            return (exp(neg(p.low * t)) - exp(neg(p.high * t))) / ((p.high - p.low) * t);
          }};
}

Tensor kl_divergence(const Moments& p, const Beta& q) {
  if (!p.mean_log.defined() || !p.mean_log1m.defined()) return always_unbounded(p.entropy, q.concentration1);
  return where((p.low >= 0) & (p.high <= 1),
               log_beta(q) - (q.concentration1 - 1) * p.mean_log - (q.concentration0 - 1) * p.mean_log1m - p.entropy,
               unbounded);
}

Tensor kl_divergence(const Moments& p, const ContinuousBernoulli& q) {
  return where((p.low >= 0) & (p.high <= 1), -p.entropy - p.mean * q.logits - log1p(-q.probs) - q.log_normalizer(),
               unbounded);
}

Tensor kl_divergence(const ContinuousBernoulli& p, const ContinuousBernoulli& q) {
  return kl_divergence(moments_of(p), q);
}

namespace {

MultivariateNormal dense(const LowRankMultivariateNormal& law) {
  return {law.loc, {.matrix = law.covariance_matrix()}};
}

}  // namespace

Tensor kl_divergence(const LowRankMultivariateNormal& p, const LowRankMultivariateNormal& q) {
  return kl_divergence(dense(p), dense(q));
}
Tensor kl_divergence(const LowRankMultivariateNormal& p, const MultivariateNormal& q) {
  return kl_divergence(dense(p), q);
}
Tensor kl_divergence(const MultivariateNormal& p, const LowRankMultivariateNormal& q) {
  return kl_divergence(p, dense(q));
}

Tensor kl_divergence(const Moments& p, const Exponential& q) {
  return where(p.low >= 0, q.rate * p.mean - log(q.rate) - p.entropy, unbounded);
}

Tensor kl_divergence(const Moments& p, const Gamma& q) {
  if (!p.mean_log.defined()) return always_unbounded(p.entropy, q.rate);
  return where(p.low >= 0,
               lgamma(q.concentration) - q.concentration * log(q.rate) - (q.concentration - 1) * p.mean_log +
                   q.rate * p.mean - p.entropy,
               unbounded);
}

Tensor kl_divergence(const Moments& p, const Gumbel& q) {
  if (!p.laplace)
    throw ValueError(str("kl_divergence: there is no formula for ", p.name,
                         " and Gumbel; estimate it: mean(p.log_prob(x) - q.log_prob(x)) with x = p.sample({n})"));
  const Tensor t = reciprocal(q.scale);
  return log(q.scale) + (p.mean - q.loc) * t + exp(q.loc * t) * p.laplace(t) - p.entropy;
}

Tensor kl_divergence(const Moments& p, const Normal& q) {
  return log(q.scale) + 0.5 * log_two_pi + 0.5 * (p.variance + square(p.mean - q.loc)) / square(q.scale) - p.entropy;
}

Tensor kl_divergence(const Moments& p, const Pareto& q) {
  if (!p.mean_log.defined()) return always_unbounded(p.entropy, q.scale);
  return where(p.low >= q.scale, (q.alpha + 1) * p.mean_log - log(q.alpha) - q.alpha * log(q.scale) - p.entropy,
               unbounded);
}

Tensor kl_divergence(const Moments& p, const Uniform& q) {
  return where((p.low >= q.low) & (p.high <= q.high), log(q.high - q.low) - p.entropy, unbounded);
}

Tensor kl_divergence(const Normal& p, const Laplace& q) {
  // E|x - loc| of a normal variable
  const Tensor distance = p.loc - q.loc, z = distance / p.scale;
  const Tensor size =
      std::sqrt(2 / std::numbers::pi) * p.scale * exp(-0.5 * square(z)) + distance * erf(z * std::numbers::sqrt2 / 2);
  return log(2 * q.scale) + size / q.scale - p.entropy();
}

Tensor kl_divergence(const Bernoulli& p, const Poisson& q) {
  return q.rate - detail::weighted(p.probs, detail::log_or_impossible(q.rate)) - p.entropy();
}
Tensor kl_divergence(const Poisson& p, const Bernoulli& q) {
  return where(p.rate == 0, neg(q.log_failure()), unbounded);
}
Tensor kl_divergence(const Poisson& p, const Binomial& q) {
  const auto n = static_cast<double>(q.total_count);
  return where(p.rate == 0, n == 0 ? zeros_like(q.trial.probs) : -n * q.trial.log_failure(), unbounded);
}

}  // namespace minima::distributions
