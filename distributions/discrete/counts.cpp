#include <minima/distributions/discrete/counts.h>

#include <minima/autograd/mode.h>
#include <minima/distributions/continuous/gamma.h>
#include <minima/distributions/core/distribution.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace minima::distributions {

namespace {

constexpr double few = 10;

/// The number of terms of the cdf that a uniform number exceeds, for rates up to `few`: float64 vectors.
Tensor by_inversion(const Tensor& rate, RandomGenerator* generator) {
  constexpr int most = 80;  // beyond, the rest is below 1e-40
  const Tensor u = rand(rate.shape(), detail::options_of(rate), generator);
  Tensor term = exp(neg(rate)), cdf = term, count = zeros_like(rate);
  for (int k = 1; k <= most; ++k) {
    count = count + (u >= cdf).to(DType::float64);
    term = term * rate / k;
    cdf = cdf + term;
  }
  return count;
}

/// Hörmann's transformed rejection PTRS, for rates from `few` on.
Tensor by_rejection(const Tensor& rate, RandomGenerator* generator) {
  const TensorOptions options = detail::options_of(rate);
  const Tensor result = zeros_like(rate);
  Tensor missing = arange(rate.numel(), {.device = rate.device()});
  while (missing.numel() > 0) {
    const Tensor lambda = index_select(rate, 0, missing), b = 0.931 + 2.53 * sqrt(lambda), a = 0.02483 * b - 0.059;
    const Tensor u = rand(missing.shape(), options, generator) - 0.5, v = 1 - rand(missing.shape(), options, generator);
    const Tensor us = 0.5 - abs(u), k = floor((2 * a / us + b) * u + lambda + 0.43);
    const Tensor log_ratio = log(v * (1.1239 + 1.1328 / (b - 3.4)) / (a / square(us) + b));
    const Tensor log_probability = k * log(lambda) - lambda - lgamma(clamp_min(k, 0) + 1);
    const Tensor surely = (us >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2));
    const Tensor allowed = (k >= 0) & ((us >= 0.013) | (v <= us));
    const Tensor taken = surely | (allowed & (log_ratio <= log_probability));
    index_put_(result, {masked_select(missing, taken)}, masked_select(k, taken));
    missing = masked_select(missing, logical_not(taken));
  }
  return result;
}

}  // namespace

Geometric::Geometric(const ProbsOrLogits& given)
    : Distribution(detail::given("Geometric", given).shape(), {}), trial(given) {}

Tensor Geometric::draw(const Shape& shape, RandomGenerator* generator) const {
  const NoGrad constant;
  const Tensor log_u = log1p(neg(rand(shape, {.dtype = DType::float64, .device = trial.probs.device()}, generator)));
  return floor(log_u / log_sigmoid(neg(trial.logits)).to(DType::float64)).to(trial.probs.dtype());
}

Tensor Geometric::log_prob(const Tensor& value) const {
  const Tensor supported = value >= 0;
  return detail::minus_infinity_outside(
      supported, detail::within(supported, value, 0) * log_sigmoid(neg(trial.logits)) + log_sigmoid(trial.logits));
}
Tensor Geometric::entropy() const { return trial.entropy() / trial.probs; }
Tensor Geometric::mean() const { return reciprocal(trial.probs) - 1; }
Tensor Geometric::variance() const { return (reciprocal(trial.probs) - 1) / trial.probs; }

Binomial::Binomial(std::int64_t total_count, const ProbsOrLogits& given)
    : Distribution(detail::given("Binomial", given).shape(), {}), total_count(total_count), trial(given) {
  if (total_count < 1) throw ValueError(str("Binomial: total_count must be at least 1, not ", total_count));
}

Tensor Binomial::draw(const Shape& shape, RandomGenerator* generator) const {
  const NoGrad constant;
  Tensor count = zeros(shape, detail::options_of(trial.probs));
  for (std::int64_t i = 0; i < total_count; ++i) count += draw_from(trial, shape, generator);
  return count;
}

Tensor Binomial::log_prob(const Tensor& value) const {
  const auto n = static_cast<double>(total_count);
  const Tensor supported = (value >= 0) & (value <= n), k = detail::within(supported, value, 0);
  return detail::minus_infinity_outside(
      supported, lgamma(full({}, n + 1, detail::options_of(trial.probs))) - lgamma(k + 1) - lgamma(n - k + 1) +
                     k * log_sigmoid(trial.logits) + (n - k) * log_sigmoid(neg(trial.logits)));
}
Tensor Binomial::mean() const { return static_cast<double>(total_count) * trial.probs; }
Tensor Binomial::variance() const { return static_cast<double>(total_count) * trial.variance(); }

Poisson::Poisson(const Argument& rate) : Poisson(detail::broadcast_arguments("Poisson", {rate})) {}
Poisson::Poisson(std::vector<Tensor> parameters)
    : Distribution(parameters[0].shape(), {}), rate(std::move(parameters[0])) {
  detail::expect_positive("Poisson", "rate", rate);
}

Tensor Poisson::draw(const Shape& shape, RandomGenerator* generator) const {
  const NoGrad constant;
  const Tensor wanted = reshape(expand(rate, shape), {-1}).to(DType::float64), is_valid = isfinite(wanted);
  const Tensor small = by_inversion(clamp_max(wanted, few), generator);
  const Tensor large = by_rejection(where(is_valid & (wanted >= few), wanted, few), generator);
  const Tensor count = where(wanted >= few, large, small);
  return reshape(where(is_valid, count, std::nan("")), shape).to(rate.dtype());
}

Tensor Poisson::log_prob(const Tensor& value) const {
  const Tensor supported = value >= 0, k = detail::within(supported, value, 0);
  return detail::minus_infinity_outside(supported, xlogy(k, rate) - rate - lgamma(k + 1));
}

NegativeBinomial::NegativeBinomial(const Argument& total_count, const ProbsOrLogits& given)
    : NegativeBinomial(detail::broadcast_arguments("NegativeBinomial", {Bernoulli(given).logits, total_count})) {}
NegativeBinomial::NegativeBinomial(std::vector<Tensor> parameters)
    : Distribution(parameters[0].shape(), {}), total_count(std::move(parameters[1])), logits(std::move(parameters[0])) {
  detail::expect_positive("NegativeBinomial", "total_count", total_count);
}

Tensor NegativeBinomial::draw(const Shape& shape, RandomGenerator* generator) const {
  const NoGrad constant;
  const Tensor rate = draw_from(Gamma(total_count, exp(neg(logits))), shape, generator);
  return draw_from(Poisson(rate), shape, generator);
}

Tensor NegativeBinomial::log_prob(const Tensor& value) const {
  const Tensor supported = value >= 0, k = detail::within(supported, value, 0);
  const Tensor ways = lgamma(total_count + k) - lgamma(k + 1) - lgamma(total_count);
  return detail::minus_infinity_outside(supported,
                                        ways + total_count * log_sigmoid(neg(logits)) + k * log_sigmoid(logits));
}
Tensor NegativeBinomial::mean() const { return total_count * exp(logits); }
Tensor NegativeBinomial::variance() const { return mean() / sigmoid(neg(logits)); }

}  // namespace minima::distributions
