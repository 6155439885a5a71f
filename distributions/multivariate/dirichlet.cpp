#include <minima/distributions/multivariate/dirichlet.h>

#include <minima/distributions/continuous/standard_gamma.h>
#include <minima/distributions/core/class_shapes.h>
#include <minima/distributions/core/distribution.h>
#include <minima/ops/ops.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <utility>
#include <vector>

namespace minima::distributions {

Beta::Beta(const Argument& concentration1, const Argument& concentration0)
    : Beta(detail::broadcast_arguments("Beta", {concentration1, concentration0})) {}

Beta::Beta(std::vector<Tensor> parameters)
    : Distribution(parameters[0].shape(), {}),
      concentration1(std::move(parameters[0])),
      concentration0(std::move(parameters[1])) {
  detail::expect_positive("Beta", "concentration1", concentration1);
  detail::expect_positive("Beta", "concentration0", concentration0);
}

/// a / (a + b) of gamma variables, from their logarithms.
Tensor Beta::draw(const Shape& shape, RandomGenerator* generator) const {
  const Tensor log_a = detail::log_standard_gamma(expand(concentration1, shape), generator);
  const Tensor log_b = detail::log_standard_gamma(expand(concentration0, shape), generator);
  return detail::open_unit(sigmoid(log_a - log_b).to(concentration1.dtype()));
}

Tensor Beta::log_prob(const Tensor& value) const {
  const Tensor supported = (value >= 0) & (value <= 1), x = detail::within(supported, value, 0.5);
  return detail::minus_infinity_outside(supported, xlogy(concentration1 - 1, x) + xlogy(concentration0 - 1, 1 - x) +
                                                       lgamma(concentration1 + concentration0) -
                                                       lgamma(concentration1) - lgamma(concentration0));
}

Tensor Beta::entropy() const {
  const Tensor total = concentration1 + concentration0;
  return lgamma(concentration1) + lgamma(concentration0) - lgamma(total) -
         (concentration1 - 1) * digamma(concentration1) - (concentration0 - 1) * digamma(concentration0) +
         (total - 2) * digamma(total);
}

Tensor Beta::mean() const { return concentration1 / (concentration1 + concentration0); }

Tensor Beta::variance() const {
  const Tensor total = concentration1 + concentration0;
  return concentration1 * concentration0 / (square(total) * (total + 1));
}

Dirichlet::Dirichlet(const Tensor& given)
    : Distribution(detail::without_classes("Dirichlet", given), {detail::classes_of("Dirichlet", given)}),
      concentration(detail::broadcast_arguments("Dirichlet", {given})[0]) {
  detail::expect_positive("Dirichlet", "concentration", concentration);
}

Tensor Dirichlet::draw(const Shape& shape, RandomGenerator* generator) const {
  const Tensor x = softmax(detail::log_standard_gamma(expand(concentration, shape), generator), -1);
  return detail::positive_draw(x, concentration.dtype());
}

Tensor Dirichlet::log_prob(const Tensor& value) const {
  const Tensor supported = value >= 0, x = detail::within(supported, value, 1);
  const Tensor density =
      sum(xlogy(concentration - 1, x), -1) + lgamma(sum(concentration, -1)) - sum(lgamma(concentration), -1);
  return detail::minus_infinity_outside(detail::on_simplex(value, concentration), density);
}

Tensor Dirichlet::entropy() const {
  const Tensor total = sum(concentration, -1);
  return sum(lgamma(concentration), -1) - lgamma(total) -
         (static_cast<double>(event_shape()[0]) - total) * digamma(total) -
         sum((concentration - 1) * digamma(concentration), -1);
}

Tensor Dirichlet::mean() const { return concentration / sum(concentration, -1, true); }

Tensor Dirichlet::variance() const {
  const Tensor total = sum(concentration, -1, true);
  return concentration * (total - concentration) / (square(total) * (total + 1));
}

}  // namespace minima::distributions
