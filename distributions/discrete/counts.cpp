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

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace minima::distributions {

Geometric::Geometric(const ProbsOrLogits& given)
    : Distribution(detail::given("Geometric", given).shape(), {}), trial(given) {
  if (given.probs.defined()) detail::expect_positive("Geometric", "probs", given.probs);
}

Tensor Geometric::draw(const Shape& shape, RandomGenerator* generator) const {
  const NoGrad constant;
  const Tensor log_u = log1p(neg(rand(shape, {.dtype = DType::float64, .device = trial.probs.device()}, generator)));
  return detail::rounded_draw(floor(log_u / trial.log_failure().to(DType::float64)), trial.probs.dtype());
}

Tensor Geometric::log_prob(const Tensor& value) const {
  const Tensor supported = detail::is_count(value), k = detail::counts_within(supported, value, trial.probs);
  return detail::minus_infinity_outside(supported, detail::weighted(k, trial.log_failure()) + trial.log_success());
}
Tensor Geometric::entropy() const { return trial.entropy() / trial.probs; }
Tensor Geometric::mean() const { return reciprocal(trial.probs) - 1; }
Tensor Geometric::variance() const { return (reciprocal(trial.probs) - 1) / trial.probs; }

Binomial::Binomial(std::int64_t total_count, const ProbsOrLogits& given)
    : Distribution(detail::given("Binomial", given).shape(), {}), total_count(total_count), trial(given) {
  if (total_count < 0) throw ValueError(str("Binomial: total_count must not be negative, got ", total_count));
}

Tensor Binomial::draw(const Shape& shape, RandomGenerator* generator) const {
  const NoGrad constant;
  Tensor count = zeros(shape, detail::options_of(trial.probs));
  for (std::int64_t i = 0; i < total_count; ++i) count += draw_from(trial, shape, generator);
  return count;
}

Tensor Binomial::log_prob_of(const Tensor& k, const Tensor& log_success, const Tensor& log_failure) const {
  const auto n = static_cast<double>(total_count);
  return lgamma(full({}, n + 1, detail::options_of(trial.probs))) - lgamma(k + 1) - lgamma(n - k + 1) +
         detail::weighted(k, log_success) + detail::weighted(n - k, log_failure);
}

Tensor Binomial::log_prob(const Tensor& value) const {
  const auto n = static_cast<double>(total_count);
  const Tensor supported = detail::is_count(value) & (value <= n);
  const Tensor k = detail::counts_within(supported, value, trial.probs);
  return detail::minus_infinity_outside(supported,
                                        log_prob_of(k, log_sigmoid(trial.logits), log_sigmoid(neg(trial.logits))));
}

Tensor Binomial::counts() const {
  Shape shape = Shape::filled(batch_shape().rank() + 1, 1);
  shape[0] = total_count + 1;
  return reshape(arange(total_count + 1, {.device = trial.probs.device()}).to(trial.probs.dtype()), shape);
}

Tensor Binomial::mean_of(const std::function<Tensor(const Tensor& count)>& f) const {
  const Tensor k = counts();
  return sum(exp(log_prob_of(k, trial.log_success(), trial.log_failure())) * f(k), 0);
}

Tensor Binomial::entropy() const {
  const Tensor log_prob = log_prob_of(counts(), trial.log_success(), trial.log_failure());
  return neg(sum(detail::weighted(exp(log_prob), log_prob), 0));
}

Tensor Binomial::mean() const { return static_cast<double>(total_count) * trial.probs; }
Tensor Binomial::variance() const { return static_cast<double>(total_count) * trial.variance(); }

Poisson::Poisson(const Argument& rate) : Poisson(detail::broadcast_arguments("Poisson", {rate})) {}
Poisson::Poisson(std::vector<Tensor> parameters)
    : Distribution(parameters[0].shape(), {}), rate(std::move(parameters[0])) {
  detail::expect_nonnegative("Poisson", "rate", rate);
}

Tensor Poisson::draw(const Shape& shape, RandomGenerator* generator) const {
  return poisson(expand(rate, shape), generator);
}

Tensor Poisson::log_prob(const Tensor& value) const {
  const Tensor supported = detail::is_count(value), k = detail::counts_within(supported, value, rate);
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
  const Tensor supported = detail::is_count(value), k = detail::counts_within(supported, value, logits);
  const Tensor ways = lgamma(total_count + k) - lgamma(k + 1) - lgamma(total_count);
  return detail::minus_infinity_outside(supported,
                                        ways + total_count * log_sigmoid(neg(logits)) + k * log_sigmoid(logits));
}
Tensor NegativeBinomial::mean() const { return total_count * exp(logits); }
Tensor NegativeBinomial::variance() const { return mean() / sigmoid(neg(logits)); }

}  // namespace minima::distributions
