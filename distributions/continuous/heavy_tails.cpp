#include <minima/distributions/continuous/heavy_tails.h>

#include <minima/distributions/core/distribution.h>
#include <minima/ops/copy/casts.h>
#include <minima/ops/ops.h>
#include <minima/ops/special/gamma.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

namespace minima::distributions {

namespace {

constexpr double pi = std::numbers::pi, unbounded = std::numeric_limits<double>::infinity();

Tensor filled_like(const Tensor& x, double value) { return full(x.shape(), value, detail::options_of(x)); }

/// f of the parameter where it is above `limit`, else infinite.
template <class F>
Tensor finite_above(const Tensor& parameter, double limit, F f) {
  const Tensor finite = parameter > limit;
  return where(finite, f(where(finite, parameter, limit + 1)), unbounded);
}

/// tan(πp / 2) with the digits of p near 1.
Tensor half_tangent(const Tensor& p) {
  const Tensor is_high = p > 0.5, angle = where(is_high, 1 - p, p) * (pi / 2);
  return where(is_high, reciprocal(tan(angle)), tan(angle));
}

}  // namespace

Cauchy::Cauchy(const Argument& loc, const Argument& scale)
    : Cauchy(detail::broadcast_arguments("Cauchy", {loc, scale})) {}
Cauchy::Cauchy(std::vector<Tensor> parameters)
    : Distribution(parameters[0].shape(), {}), loc(std::move(parameters[0])), scale(std::move(parameters[1])) {
  detail::expect_real("Cauchy", "loc", loc);
  detail::expect_positive("Cauchy", "scale", scale);
}

Tensor Cauchy::draw(const Shape& shape, RandomGenerator* generator) const {
  return detail::rounded_draw(icdf(detail::open_uniform(shape, loc, generator)), loc.dtype());
}
Tensor Cauchy::log_prob(const Tensor& value) const {
  return minima::detail::in_common(
      [](const Tensor& x, const Tensor& at, const Tensor& width) {
        return neg(detail::log1p_square((x - at) / width)) - log(width) - std::log(pi);
      },
      value, loc, scale);
}
Tensor Cauchy::entropy() const { return log(scale) + std::log(4 * pi); }
Tensor Cauchy::mean() const { return filled_like(loc, std::nan("")); }
Tensor Cauchy::variance() const { return filled_like(loc, unbounded); }
Tensor Cauchy::cdf(const Tensor& value) const {
  const Tensor z = (value - loc) / scale, is_low = z < -1;
  return where(is_low, atan(-1 / where(is_low, z, -1)) / pi, atan(z) / pi + 0.5);
}
// A tangent near ±π/2 would lose the digits of probabilities near 0 and 1.
Tensor Cauchy::icdf(const Tensor& probability) const {
  const Tensor centred = probability - 0.5, tail = minimum(probability, 1 - probability);
  return loc + scale * where(tail < 0.25, sign(centred) / tan(pi * tail), tan(pi * centred));
}

HalfCauchy::HalfCauchy(const Argument& scale) : HalfCauchy(Cauchy(0, scale)) {}
HalfCauchy::HalfCauchy(Cauchy signed_variable)
    : Distribution(signed_variable.batch_shape(), {}), base(std::move(signed_variable)) {}

Tensor HalfCauchy::draw(const Shape& shape, RandomGenerator* generator) const {
  return abs(draw_from(base, shape, generator));
}
Tensor HalfCauchy::log_prob(const Tensor& value) const {
  return detail::minus_infinity_outside(value >= 0, base.log_prob(value) + std::log(2));
}
Tensor HalfCauchy::entropy() const { return base.entropy() - std::log(2); }
Tensor HalfCauchy::mean() const { return filled_like(base.loc, unbounded); }
Tensor HalfCauchy::cdf(const Tensor& value) const { return atan(clamp_min(value, 0) / base.scale) * (2 / pi); }
Tensor HalfCauchy::icdf(const Tensor& probability) const { return base.scale * half_tangent(probability); }

Pareto::Pareto(const Argument& scale, const Argument& alpha)
    : Pareto(detail::broadcast_arguments("Pareto", {scale, alpha})) {}
Pareto::Pareto(std::vector<Tensor> parameters)
    : Distribution(parameters[0].shape(), {}), scale(std::move(parameters[0])), alpha(std::move(parameters[1])) {
  detail::expect_positive("Pareto", "scale", scale);
  detail::expect_positive("Pareto", "alpha", alpha);
}

Tensor Pareto::draw(const Shape& shape, RandomGenerator* generator) const {
  return detail::rounded_draw(icdf(detail::open_uniform(shape, scale, generator)), scale.dtype());
}
Tensor Pareto::log_prob(const Tensor& value) const {
  const Tensor supported = value >= scale, x = where(supported, value, scale);
  return detail::minus_infinity_outside(supported, log(alpha) + alpha * log(scale) - (alpha + 1) * log(x));
}
Tensor Pareto::entropy() const { return log(scale / alpha) + 1 + reciprocal(alpha); }
Tensor Pareto::mean() const {
  return finite_above(alpha, 1, [&](const Tensor& a) { return scale * a / (a - 1); });
}
Tensor Pareto::variance() const {
  return finite_above(alpha, 2, [&](const Tensor& a) { return square(scale) * a / (square(a - 1) * (a - 2)); });
}
Tensor Pareto::cdf(const Tensor& value) const { return neg(expm1(alpha * log(scale / maximum(value, scale)))); }
Tensor Pareto::icdf(const Tensor& probability) const { return scale * exp(neg(log1p(neg(probability))) / alpha); }

GeneralizedPareto::GeneralizedPareto(const Argument& loc, const Argument& scale, const Argument& concentration)
    : GeneralizedPareto(detail::broadcast_arguments("GeneralizedPareto", {loc, scale, concentration})) {}
GeneralizedPareto::GeneralizedPareto(std::vector<Tensor> parameters)
    : Distribution(parameters[0].shape(), {}),
      loc(std::move(parameters[0])),
      scale(std::move(parameters[1])),
      concentration(std::move(parameters[2])) {
  detail::expect_real("GeneralizedPareto", "loc", loc);
  detail::expect_positive("GeneralizedPareto", "scale", scale);
  is_zero_ = concentration == 0;
  slope_ = where(is_zero_, 1, concentration);
}

// At c = 0 with the term of first order, for the derivative by c.
Tensor GeneralizedPareto::hazard(const Tensor& z) const {
  return where(is_zero_, z - concentration * square(z) * 0.5, log1p(slope_ * z) / slope_);
}

Tensor GeneralizedPareto::draw(const Shape& shape, RandomGenerator* generator) const {
  return detail::rounded_draw(icdf(detail::open_uniform(shape, loc, generator)), loc.dtype());
}
Tensor GeneralizedPareto::log_prob(const Tensor& value) const {
  const Tensor z = (value - loc) / scale, supported = (z >= 0) & (concentration * z > -1);
  const Tensor inside = detail::within(supported, z, 0);
  return detail::minus_infinity_outside(supported, -(1 + concentration) * hazard(inside) - log(scale));
}
Tensor GeneralizedPareto::entropy() const { return log(scale) + concentration + 1; }
Tensor GeneralizedPareto::mean() const {
  return loc + finite_above(1 - concentration, 0, [&](const Tensor& gap) { return scale / gap; });
}
Tensor GeneralizedPareto::variance() const {
  return finite_above(0.5 - concentration, 0,
                      [&](const Tensor& gap) { return square(scale / (gap + 0.5)) / (gap * 2); });
}
Tensor GeneralizedPareto::cdf(const Tensor& value) const {
  const Tensor z = clamp_min((value - loc) / scale, 0), is_above = (concentration * z <= -1) | (z == unbounded);
  return where(is_above, 1, -expm1(-hazard(where(is_above, 0, z))));
}
Tensor GeneralizedPareto::icdf(const Tensor& probability) const {
  const Tensor gone = -log1p(-probability);
  const Tensor first_order = concentration * square(where(is_zero_ & isfinite(gone), gone, 0)) * 0.5;
  return loc + scale * where(is_zero_, gone + first_order, expm1(slope_ * gone) / slope_);
}

InverseGamma::InverseGamma(const Argument& concentration, const Argument& rate)
    : InverseGamma(Gamma(concentration, rate)) {}
InverseGamma::InverseGamma(Gamma reciprocal)
    : Distribution(reciprocal.batch_shape(), {}), base(std::move(reciprocal)) {}

Tensor InverseGamma::draw(const Shape& shape, RandomGenerator* generator) const {
  return detail::positive_draw(reciprocal(draw_from(base, shape, generator)), base.rate.dtype());
}
Tensor InverseGamma::cdf(const Tensor& value) const {
  const Tensor is_below = value <= 0;
  return where(is_below, 0, igammac(base.concentration, base.rate / where(is_below, 1, value)));
}
Tensor InverseGamma::log_prob(const Tensor& value) const {
  const Tensor supported = (value > 0) & isfinite(value), x = detail::within(supported, value, 1);
  return detail::minus_infinity_outside(supported, base.log_prob(reciprocal(x)) - 2 * log(x));
}
Tensor InverseGamma::entropy() const {
  return base.concentration + log(base.rate) + lgamma(base.concentration) -
         (1 + base.concentration) * digamma(base.concentration);
}
Tensor InverseGamma::mean() const {
  return finite_above(base.concentration, 1, [&](const Tensor& c) { return base.rate / (c - 1); });
}
Tensor InverseGamma::variance() const {
  return finite_above(base.concentration, 2,
                      [&](const Tensor& c) { return square(base.rate) / (square(c - 1) * (c - 2)); });
}

}  // namespace minima::distributions
