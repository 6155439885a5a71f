#include <minima/distributions/continuous/laplace.h>

#include <minima/distributions/core/distribution.h>
#include <minima/ops/ops.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <utility>
#include <vector>

namespace minima::distributions {

Laplace::Laplace(const Argument& loc, const Argument& scale)
    : Laplace(detail::broadcast_arguments("Laplace", {loc, scale})) {}

Laplace::Laplace(std::vector<Tensor> parameters)
    : Distribution(parameters[0].shape(), {}), loc(std::move(parameters[0])), scale(std::move(parameters[1])) {
  detail::expect_real("Laplace", "loc", loc);
  detail::expect_positive("Laplace", "scale", scale);
}

Tensor Laplace::draw(const Shape& shape, RandomGenerator* generator) const {
  return detail::rounded_draw(icdf(detail::open_uniform(shape, loc, generator)), loc.dtype());
}

Tensor Laplace::log_prob(const Tensor& value) const { return neg(log(2 * scale)) - abs(value - loc) / scale; }
Tensor Laplace::entropy() const { return log(2 * scale) + 1; }
Tensor Laplace::variance() const { return 2 * square(scale); }

Tensor Laplace::cdf(const Tensor& value) const {
  const Tensor z = (value - loc) / scale;
  const Tensor tail = 0.5 * exp(neg(abs(z)));
  return where(z < 0, tail, 1 - tail);
}

Tensor Laplace::icdf(const Tensor& probability) const {
  return loc + scale * where(probability < 0.5, log(2 * probability), neg(log(2 * (1 - probability))));
}

}  // namespace minima::distributions
