#include <minima/distributions/continuous/extreme_value.h>

#include <minima/distributions/core/distribution.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <numbers>
#include <utility>
#include <vector>

namespace minima::distributions {

namespace {

constexpr double gamma_constant = std::numbers::egamma;

}  // namespace

Gumbel::Gumbel(const Argument& loc, const Argument& scale)
    : Gumbel(detail::broadcast_arguments("Gumbel", {loc, scale})) {}
Gumbel::Gumbel(std::vector<Tensor> parameters)
    : Distribution(parameters[0].shape(), {}), loc(std::move(parameters[0])), scale(std::move(parameters[1])) {
  detail::expect_real("Gumbel", "loc", loc);
  detail::expect_positive("Gumbel", "scale", scale);
}

Tensor Gumbel::draw(const Shape& shape, RandomGenerator* generator) const {
  return detail::rounded_draw(icdf(detail::open_uniform(shape, loc, generator)), loc.dtype());
}
Tensor Gumbel::log_prob(const Tensor& value) const {
  const Tensor supported = isfinite(value), z = (detail::within(supported, value, 0) - loc) / scale;
  return detail::minus_infinity_outside(supported, neg(z + exp(neg(z))) - log(scale));
}
Tensor Gumbel::entropy() const { return log(scale) + (1 + gamma_constant); }
Tensor Gumbel::mean() const { return loc + scale * gamma_constant; }
Tensor Gumbel::variance() const { return square(scale) * (std::numbers::pi * std::numbers::pi / 6); }
Tensor Gumbel::cdf(const Tensor& value) const { return exp(neg(exp((loc - value) / scale))); }
Tensor Gumbel::icdf(const Tensor& probability) const { return loc - scale * log(neg(log(probability))); }

Weibull::Weibull(const Argument& scale, const Argument& concentration)
    : Weibull(detail::broadcast_arguments("Weibull", {scale, concentration})) {}
Weibull::Weibull(std::vector<Tensor> parameters)
    : Distribution(parameters[0].shape(), {}),
      scale(std::move(parameters[0])),
      concentration(std::move(parameters[1])) {
  detail::expect_positive("Weibull", "scale", scale);
  detail::expect_positive("Weibull", "concentration", concentration);
}

Tensor Weibull::draw(const Shape& shape, RandomGenerator* generator) const {
  return detail::positive_draw(icdf(detail::open_uniform(shape, scale, generator)), scale.dtype());
}
Tensor Weibull::log_prob(const Tensor& value) const {
  const Tensor supported = (value > 0) & isfinite(value), ratio = log(detail::within(supported, value, 1) / scale);
  return detail::minus_infinity_outside(
      supported, log(concentration / scale) + (concentration - 1) * ratio - exp(concentration * ratio));
}
Tensor Weibull::entropy() const {
  return gamma_constant * (1 - reciprocal(concentration)) + log(scale / concentration) + 1;
}
Tensor Weibull::mean() const { return scale * exp(lgamma(1 + reciprocal(concentration))); }
Tensor Weibull::variance() const { return square(scale) * exp(lgamma(1 + 2 / concentration)) - square(mean()); }
Tensor Weibull::cdf(const Tensor& value) const {
  return neg(expm1(neg(pow(clamp_min(value, 0) / scale, concentration))));
}
Tensor Weibull::icdf(const Tensor& probability) const {
  return scale * pow(neg(log1p(neg(probability))), reciprocal(concentration));
}

}  // namespace minima::distributions
