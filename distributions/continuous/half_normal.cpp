#include <minima/distributions/continuous/half_normal.h>

#include <minima/distributions/core/distribution.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <numbers>
#include <utility>

namespace minima::distributions {

HalfNormal::HalfNormal(const Argument& scale) : HalfNormal(Normal(0, scale)) {}
HalfNormal::HalfNormal(Normal signed_variable)
    : Distribution(signed_variable.batch_shape(), {}), base(std::move(signed_variable)) {}

Tensor HalfNormal::draw(const Shape& shape, RandomGenerator* generator) const {
  return abs(draw_from(base, shape, generator));
}
Tensor HalfNormal::log_prob(const Tensor& value) const {
  return detail::minus_infinity_outside(value >= 0, base.log_prob(value) + std::log(2));
}
Tensor HalfNormal::entropy() const { return base.entropy() - std::log(2); }
Tensor HalfNormal::mean() const { return base.scale * std::sqrt(2 / std::numbers::pi); }
Tensor HalfNormal::variance() const { return square(base.scale) * (1 - 2 / std::numbers::pi); }
Tensor HalfNormal::cdf(const Tensor& value) const {
  return erf(clamp_min(value, 0) / (base.scale * std::numbers::sqrt2));
}
Tensor HalfNormal::icdf(const Tensor& probability) const {
  return base.scale * std::numbers::sqrt2 * erfinv(probability);
}

}  // namespace minima::distributions
