#include <minima/distributions/multivariate/low_rank_multivariate_normal.h>

#include <minima/distributions/core/class_shapes.h>
#include <minima/distributions/core/distribution.h>
#include <minima/distributions/multivariate/factors.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <cstdint>
#include <numbers>

namespace minima::distributions {

namespace {

constexpr const char* low_rank_name = "LowRankMultivariateNormal";

}  // namespace

LowRankMultivariateNormal::Parts LowRankMultivariateNormal::broadcast_parts(const Tensor& loc, const Tensor& factor,
                                                                            const Tensor& diagonal) {
  const std::int64_t size = detail::classes_of(low_rank_name, loc);
  if (factor.rank() < 2 || factor.size(-2) != size || diagonal.rank() < 1 || diagonal.size(-1) != size)
    throw ShapeError(str(low_rank_name, ": loc ", loc, " needs a factor [..., ", size, ", R] and a diagonal [..., ",
                         size, "], got ", factor, " and ", diagonal));
  for (const Tensor* x : {&factor, &diagonal})
    if (!is_floating(loc.dtype()) || loc.dtype() != x->dtype())
      throw DTypeError(str(low_rank_name, ": parameters must be of one floating dtype, got ", loc, " and ", *x));
  detail::expect_positive(low_rank_name, "cov_diag", diagonal);
  Shape batch = factor.shape();
  batch.resize(batch.rank() - 2);
  batch = broadcast(detail::without_classes(low_rank_name, loc), batch, low_rank_name);
  batch = broadcast(detail::without_classes(low_rank_name, diagonal), batch, low_rank_name);
  return {expand(loc, detail::joined(batch, {size})), expand(factor, detail::joined(batch, {size, factor.size(-1)})),
          expand(diagonal, detail::joined(batch, {size}))};
}

LowRankMultivariateNormal::LowRankMultivariateNormal(const Tensor& loc, const Tensor& cov_factor,
                                                     const Tensor& cov_diag)
    : LowRankMultivariateNormal(broadcast_parts(loc, cov_factor, cov_diag)) {}

LowRankMultivariateNormal::LowRankMultivariateNormal(const Parts& parts)
    : Distribution(detail::without_classes(low_rank_name, parts.loc), {parts.loc.size(-1)}),
      loc(parts.loc),
      cov_factor(parts.factor),
      cov_diag(parts.diagonal),
      scaled_(transpose(cov_factor, -2, -1) / unsqueeze(cov_diag, -2)),
      capacitance_(
          detail::cholesky_factor(matmul(scaled_, cov_factor) + eye(cov_factor.size(-1), detail::options_of(loc)))) {}

Tensor LowRankMultivariateNormal::log_determinant() const {
  return 2 * sum(log(diagonal(capacitance_, 0, -2, -1)), -1) + sum(log(cov_diag), -1);
}

Tensor LowRankMultivariateNormal::draw(const Shape& shape, RandomGenerator* generator) const {
  Shape factors = shape;
  factors[shape.rank() - 1] = cov_factor.size(-1);
  const TensorOptions options = detail::options_of(loc);
  const Tensor common = squeeze(matmul(cov_factor, unsqueeze(randn(factors, options, generator), -1)), -1);
  return loc + common + sqrt(cov_diag) * randn(shape, options, generator);
}

Tensor LowRankMultivariateNormal::log_prob(const Tensor& value) const {
  const Tensor x = value - loc;
  const Tensor explained = detail::squared_distance(capacitance_, squeeze(matmul(scaled_, unsqueeze(x, -1)), -1));
  const Tensor distance = sum(square(x) / cov_diag, -1) - explained;  // by Woodbury's identity
  const double constant = static_cast<double>(event_shape()[0]) * std::log(2 * std::numbers::pi);
  return (log_determinant() + distance + constant) * -0.5;
}

Tensor LowRankMultivariateNormal::entropy() const {
  const double constant = static_cast<double>(event_shape()[0]) * (1 + std::log(2 * std::numbers::pi));
  return (log_determinant() + constant) * 0.5;
}

Tensor LowRankMultivariateNormal::variance() const { return sum(square(cov_factor), -1) + cov_diag; }
Tensor LowRankMultivariateNormal::covariance_matrix() const {
  return matmul(cov_factor, transpose(cov_factor, -2, -1)) + diag_embed(cov_diag);
}

}  // namespace minima::distributions
