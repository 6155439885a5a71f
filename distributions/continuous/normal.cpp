#include <minima/distributions/continuous/normal.h>

#include <minima/autograd/mode.h>
#include <minima/distributions/core/distribution.h>
#include <minima/ops/copy/casts.h>
#include <minima/ops/ops.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace minima::distributions {

namespace {

const double half_log_two_pi = 0.5 * std::log(2 * std::numbers::pi);

/// The standard normal quantile of 0 < p ≤ ¼, whose digits erfinv(2p - 1) would lose: Newton's method for log Φ(x) =
/// log p, which is concave, so that it comes from the left. The last steps record, which gives two derivatives.
Tensor lower_quantile(const Tensor& p) {
  const Tensor target = log(p);
  const auto step = [&](const Tensor& x) {
    const Tensor reached = log_ndtr(x), slope = exp(square(x) * -0.5 - half_log_two_pi - reached);
    return x - (reached - target) / slope;
  };
  Tensor x;
  {
    const NoGrad constant;
    x = -sqrt(target * -2);
    for (int i = 0; i < 5; ++i) x = step(x);
  }
  return step(step(x));
}

Tensor standard_quantile(const Tensor& p) {
  const Tensor tail = minimum(p, 1 - p), is_tail = (tail > 0) & (tail < 0.25);
  const Tensor centre = erfinv(2 * where(is_tail, 0.5, p) - 1) * std::numbers::sqrt2;
  return where(is_tail, lower_quantile(where(is_tail, tail, 0.25)) * sign(0.5 - p), centre);
}

}  // namespace

Normal::Normal(const Argument& loc, const Argument& scale)
    : Normal(detail::broadcast_arguments("Normal", {loc, scale})) {}

Normal::Normal(std::vector<Tensor> parameters)
    : Distribution(parameters[0].shape(), {}), loc(std::move(parameters[0])), scale(std::move(parameters[1])) {
  detail::expect_real("Normal", "loc", loc);
  detail::expect_positive("Normal", "scale", scale);
}

Tensor Normal::draw(const Shape& shape, RandomGenerator* generator) const {
  return loc + scale * randn(shape, detail::options_of(loc), generator);
}

Tensor Normal::log_prob(const Tensor& value) const {
  return square((value - loc) / scale) * -0.5 - log(scale) - half_log_two_pi;
}

Tensor Normal::entropy() const { return log(scale) + (0.5 + half_log_two_pi); }
Tensor Normal::variance() const { return square(scale); }

Tensor Normal::cdf(const Tensor& value) const { return erfc((loc - value) / (scale * std::numbers::sqrt2)) * 0.5; }

Tensor Normal::icdf(const Tensor& probability) const {
  return minima::detail::in_common(
      [](const Tensor& at, const Tensor& width, const Tensor& p) { return at + width * standard_quantile(p); }, loc,
      scale, probability);
}

LogNormal::LogNormal(const Argument& loc, const Argument& scale) : LogNormal(Normal(loc, scale)) {}
LogNormal::LogNormal(Normal of_logarithm)
    : Distribution(of_logarithm.batch_shape(), {}), base(std::move(of_logarithm)) {}

Tensor LogNormal::draw(const Shape& shape, RandomGenerator* generator) const {
  return detail::positive_draw(exp(draw_from(base, shape, generator)), base.loc.dtype());
}

Tensor LogNormal::log_prob(const Tensor& value) const {
  const Tensor supported = value > 0;
  const Tensor logarithm = log(detail::within(supported, value, 1));
  return detail::minus_infinity_outside(supported, base.log_prob(logarithm) - logarithm);
}

Tensor LogNormal::entropy() const { return base.entropy() + base.loc; }
Tensor LogNormal::mean() const { return exp(base.loc + base.variance() * 0.5); }
Tensor LogNormal::variance() const { return expm1(base.variance()) * exp(2 * base.loc + base.variance()); }

Tensor LogNormal::cdf(const Tensor& value) const {
  const Tensor is_below = value <= 0;
  return where(is_below, 0, base.cdf(log(where(is_below, 1, value))));
}
Tensor LogNormal::icdf(const Tensor& probability) const { return exp(base.icdf(probability)); }

}  // namespace minima::distributions
