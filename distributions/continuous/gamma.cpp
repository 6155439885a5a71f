#include <minima/distributions/continuous/gamma.h>

#include <minima/distributions/continuous/standard_gamma.h>
#include <minima/distributions/core/distribution.h>
#include <minima/ops/ops.h>
#include <minima/ops/special/gamma.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <utility>
#include <vector>

namespace minima::distributions {

Gamma::Gamma(const Argument& concentration, const Argument& rate)
    : Gamma(detail::broadcast_arguments("Gamma", {concentration, rate})) {}

Gamma::Gamma(std::vector<Tensor> parameters)
    : Distribution(parameters[0].shape(), {}), concentration(std::move(parameters[0])), rate(std::move(parameters[1])) {
  detail::expect_positive("Gamma", "concentration", concentration);
  detail::expect_positive("Gamma", "rate", rate);
}

Tensor Gamma::draw(const Shape& shape, RandomGenerator* generator) const {
  const Tensor standard = exp(detail::log_standard_gamma(expand(concentration, shape), generator));
  return detail::positive_draw(standard / rate.to(DType::float64), rate.dtype());
}

Tensor Gamma::log_prob(const Tensor& value) const {
  const Tensor supported = (value >= 0) & isfinite(value), x = detail::within(supported, value, 1);
  return detail::minus_infinity_outside(
      supported, concentration * log(rate) + xlogy(concentration - 1, x) - rate * x - lgamma(concentration));
}

Tensor Gamma::entropy() const {
  return concentration - log(rate) + lgamma(concentration) + (1 - concentration) * digamma(concentration);
}
Tensor Gamma::mean() const { return concentration / rate; }
Tensor Gamma::variance() const { return concentration / square(rate); }
Tensor Gamma::cdf(const Tensor& value) const { return igamma(concentration, rate * clamp_min(value, 0)); }

Exponential::Exponential(const Argument& rate) : Exponential(detail::broadcast_arguments("Exponential", {rate})) {}

Exponential::Exponential(std::vector<Tensor> parameters)
    : Distribution(parameters[0].shape(), {}), rate(std::move(parameters[0])) {
  detail::expect_positive("Exponential", "rate", rate);
}

Tensor Exponential::draw(const Shape& shape, RandomGenerator* generator) const {
  return detail::positive_draw(icdf(detail::open_uniform(shape, rate, generator)), rate.dtype());
}

Tensor Exponential::log_prob(const Tensor& value) const {
  return detail::minus_infinity_outside(value >= 0, log(rate) - rate * value);
}

Tensor Exponential::entropy() const { return 1 - log(rate); }
Tensor Exponential::mean() const { return reciprocal(rate); }
Tensor Exponential::variance() const { return reciprocal(square(rate)); }
Tensor Exponential::cdf(const Tensor& value) const { return neg(expm1(neg(rate * clamp_min(value, 0)))); }
Tensor Exponential::icdf(const Tensor& probability) const { return neg(log1p(neg(probability))) / rate; }

}  // namespace minima::distributions
