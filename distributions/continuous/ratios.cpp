#include <minima/distributions/continuous/ratios.h>

#include <minima/distributions/continuous/gamma.h>
#include <minima/distributions/core/distribution.h>
#include <minima/ops/ops.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace minima::distributions {

Kumaraswamy::Kumaraswamy(const Argument& concentration1, const Argument& concentration0)
    : Kumaraswamy(detail::broadcast_arguments("Kumaraswamy", {concentration1, concentration0})) {}
Kumaraswamy::Kumaraswamy(std::vector<Tensor> parameters)
    : Distribution(parameters[0].shape(), {}),
      concentration1(std::move(parameters[0])),
      concentration0(std::move(parameters[1])) {
  detail::expect_positive("Kumaraswamy", "concentration1", concentration1);
  detail::expect_positive("Kumaraswamy", "concentration0", concentration0);
}

Tensor Kumaraswamy::draw(const Shape& shape, RandomGenerator* generator) const {
  const Tensor x = icdf(detail::open_uniform(shape, concentration1, generator));
  return detail::open_unit(x.to(concentration1.dtype()));
}

Tensor Kumaraswamy::log_prob(const Tensor& value) const {
  const Tensor supported = (value > 0) & (value < 1), x = detail::within(supported, value, 0.5);
  return detail::minus_infinity_outside(supported, log(concentration1) + log(concentration0) +
                                                       (concentration1 - 1) * log(x) +
                                                       (concentration0 - 1) * log1p(neg(pow(x, concentration1))));
}

Tensor Kumaraswamy::entropy() const {
  return 1 - reciprocal(concentration0) +
         (1 - reciprocal(concentration1)) * (digamma(concentration0 + 1) + std::numbers::egamma) - log(concentration1) -
         log(concentration0);
}

Tensor Kumaraswamy::moment(double n) const {
  const Tensor a = n / concentration1 + 1;
  return concentration0 * exp(lgamma(a) + lgamma(concentration0) - lgamma(a + concentration0));
}
Tensor Kumaraswamy::variance() const { return moment(2) - square(moment(1)); }

Tensor Kumaraswamy::cdf(const Tensor& value) const {
  const Tensor x = clamp(value, 0, 1);
  return neg(expm1(concentration0 * log1p(neg(pow(x, concentration1)))));
}
Tensor Kumaraswamy::icdf(const Tensor& probability) const {
  const Tensor left = expm1(log1p(neg(probability)) / concentration0);
  return pow(neg(left), reciprocal(concentration1));
}

FisherSnedecor::FisherSnedecor(const Argument& df1, const Argument& df2)
    : FisherSnedecor(detail::broadcast_arguments("FisherSnedecor", {df1, df2})) {}
FisherSnedecor::FisherSnedecor(std::vector<Tensor> parameters)
    : Distribution(parameters[0].shape(), {}), df1(std::move(parameters[0])), df2(std::move(parameters[1])) {
  detail::expect_positive("FisherSnedecor", "df1", df1);
  detail::expect_positive("FisherSnedecor", "df2", df2);
}

Tensor FisherSnedecor::draw(const Shape& shape, RandomGenerator* generator) const {
  const Tensor above = draw_from(Gamma(df1 * 0.5, df1), shape, generator);
  return detail::positive_draw(above / draw_from(Gamma(df2 * 0.5, df2), shape, generator), df1.dtype());
}

Tensor FisherSnedecor::log_prob(const Tensor& value) const {
  const Tensor supported = (value > 0) & isfinite(value), x = detail::within(supported, value, 1);
  const Tensor a = df1 * 0.5, b = df2 * 0.5, ratio = df1 / df2;
  const Tensor normaliser = lgamma(a + b) - lgamma(a) - lgamma(b);
  return detail::minus_infinity_outside(supported,
                                        normaliser + a * log(ratio) + (a - 1) * log(x) - (a + b) * log1p(ratio * x));
}

Tensor FisherSnedecor::mean() const { return where(df2 > 2, df2 / (df2 - 2), std::nan("")); }
Tensor FisherSnedecor::variance() const {
  const Tensor formula = 2 * square(df2) * (df1 + df2 - 2) / (df1 * square(df2 - 2) * (df2 - 4));
  return where(df2 > 4, formula, std::nan(""));
}

}  // namespace minima::distributions
