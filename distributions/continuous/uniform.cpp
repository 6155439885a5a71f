#include <minima/distributions/continuous/uniform.h>

#include <minima/distributions/core/distribution.h>
#include <minima/ops/ops.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <utility>
#include <vector>

namespace minima::distributions {

Uniform::Uniform(const Argument& low, const Argument& high)
    : Uniform(detail::broadcast_arguments("Uniform", {low, high})) {}

Uniform::Uniform(std::vector<Tensor> parameters)
    : Distribution(parameters[0].shape(), {}), low(std::move(parameters[0])), high(std::move(parameters[1])) {
  detail::expect_positive("Uniform", "high - low", high - low);
}

Tensor Uniform::draw(const Shape& shape, RandomGenerator* generator) const {
  const Tensor u = detail::open_uniform(shape, low, generator);
  const Tensor from = low.to(u.dtype()), x = (from + (high.to(u.dtype()) - from) * u).to(low.dtype());
  // Rounding may reach high.
  const DType dtype = low.dtype();
  const Tensor step = clamp_min(abs(high) * detail::epsilon_of(dtype), detail::smallest_normal(dtype));
  return where(x < high, x, maximum(low, high - step));
}

Tensor Uniform::log_prob(const Tensor& value) const {
  return detail::minus_infinity_outside((value >= low) & (value < high), neg(log(high - low)));
}

Tensor Uniform::entropy() const { return log(high - low); }
Tensor Uniform::mean() const { return (low + high) * 0.5; }
Tensor Uniform::variance() const { return square(high - low) / 12; }
Tensor Uniform::cdf(const Tensor& value) const { return clamp((value - low) / (high - low), 0, 1); }
Tensor Uniform::icdf(const Tensor& probability) const { return low + (high - low) * probability; }

}  // namespace minima::distributions
