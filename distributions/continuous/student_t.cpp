#include <minima/distributions/continuous/student_t.h>

#include <minima/distributions/continuous/standard_gamma.h>
#include <minima/distributions/core/distribution.h>
#include <minima/ops/copy/casts.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

namespace minima::distributions {

StudentT::StudentT(const Argument& df, const Argument& loc, const Argument& scale)
    : StudentT(detail::broadcast_arguments("StudentT", {df, loc, scale})) {}

StudentT::StudentT(std::vector<Tensor> parameters)
    : Distribution(parameters[0].shape(), {}),
      df(std::move(parameters[0])),
      loc(std::move(parameters[1])),
      scale(std::move(parameters[2])) {
  detail::expect_positive("StudentT", "df", df);
  detail::expect_real("StudentT", "loc", loc);
  detail::expect_positive("StudentT", "scale", scale);
}

/// A normal variable over the root of an independent χ² variable, 2·Gamma(df / 2), per degree of freedom.
Tensor StudentT::draw(const Shape& shape, RandomGenerator* generator) const {
  const Tensor normal = randn(shape, detail::options_of(loc), generator), half = expand(df * 0.5, shape);
  const Tensor log_ratio = detail::log_standard_gamma(half, generator) - log(half).to(DType::float64);
  return detail::rounded_draw(loc + scale * normal * exp(log_ratio * -0.5), loc.dtype());
}

Tensor StudentT::log_prob(const Tensor& value) const {
  return minima::detail::in_common(
      [](const Tensor& x, const Tensor& n, const Tensor& at, const Tensor& width) {
        const Tensor half = (n + 1) * 0.5;
        const Tensor normaliser =
            log(width) + 0.5 * log(n) + 0.5 * std::log(std::numbers::pi) + lgamma(n * 0.5) - lgamma(half);
        return neg(half * detail::log1p_square((x - at) / (width * sqrt(n)))) - normaliser;
      },
      value, df, loc, scale);
}

Tensor StudentT::entropy() const {
  const Tensor half = (df + 1) * 0.5, log_beta = lgamma(df * 0.5) + std::lgamma(0.5) - lgamma(half);
  return log(scale) + half * (digamma(half) - digamma(df * 0.5)) + 0.5 * log(df) + log_beta;
}

Tensor StudentT::mean() const { return where(df > 1, loc, std::nan("")); }

Tensor StudentT::variance() const {
  const Tensor finite = df > 2, safe = where(finite, df, 3);
  const Tensor otherwise = where(df > 1, std::numeric_limits<double>::infinity(), std::nan("")).to(df.dtype());
  return where(finite, square(scale) * safe / (safe - 2), otherwise);
}

}  // namespace minima::distributions
