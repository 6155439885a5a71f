#include <minima/distributions/multivariate/multivariate_normal.h>

#include <minima/distributions/core/class_shapes.h>
#include <minima/distributions/core/distribution.h>
#include <minima/distributions/multivariate/factors.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/random/generator.h>

#include <cmath>
#include <cstdint>
#include <numbers>

namespace minima::distributions {

namespace {

constexpr const char* name_here = "MultivariateNormal";

/// log det of the factor.
Tensor log_determinant(const Tensor& lower) { return sum(log(diagonal(lower, 0, -2, -1)), -1); }

}  // namespace

MultivariateNormal::Parts MultivariateNormal::broadcast_parts(const Tensor& loc, const Covariance& covariance) {
  if (covariance.matrix.defined() == covariance.scale_tril.defined())
    throw ValueError(str(name_here, ": pass either matrix or scale_tril"));
  const Tensor& given = covariance.matrix.defined() ? covariance.matrix : covariance.scale_tril;
  const std::int64_t size = detail::classes_of(name_here, loc);
  if (given.rank() < 2 || given.size(-1) != size || given.size(-2) != size)
    throw ShapeError(str(name_here, ": loc ", loc, " needs a matrix [..., ", size, ", ", size, "], got ", given));
  if (!is_floating(loc.dtype()) || loc.dtype() != given.dtype())
    throw DTypeError(str(name_here, ": loc and matrix must be of one floating dtype, got ", loc, " and ", given));
  Tensor lower = covariance.matrix.defined() ? detail::cholesky_factor(given) : tril(given);
  const Tensor positive = diagonal(lower.detach(), 0, -2, -1);
  detail::expect_positive(name_here, "the diagonal of the covariance's Cholesky factor", positive);
  Shape batch = lower.shape();
  batch.resize(batch.rank() - 2);
  batch = broadcast(detail::without_classes(name_here, loc), batch, name_here);
  return {expand(loc, detail::joined(batch, {size})), expand(lower, detail::joined(batch, {size, size})), lower};
}

MultivariateNormal::MultivariateNormal(const Tensor& loc, const Covariance& covariance)
    : MultivariateNormal(broadcast_parts(loc, covariance)) {}

MultivariateNormal::MultivariateNormal(const Parts& parts)
    : Distribution(detail::without_classes(name_here, parts.loc), {parts.loc.size(-1)}),
      loc(parts.loc),
      scale_tril(parts.scale_tril),
      factor_(parts.factor) {}

Tensor MultivariateNormal::draw(const Shape& shape, RandomGenerator* generator) const {
  const Tensor noise = randn(shape, detail::options_of(loc), generator);
  return loc + squeeze(matmul(scale_tril, unsqueeze(noise, -1)), -1);
}

Tensor MultivariateNormal::log_prob(const Tensor& value) const {
  const double constant = 0.5 * static_cast<double>(event_shape()[0]) * std::log(2 * std::numbers::pi);
  return detail::squared_distance(factor_, value - loc) * -0.5 - log_determinant(factor_) - constant;
}

Tensor MultivariateNormal::entropy() const {
  return log_determinant(scale_tril) +
         0.5 * static_cast<double>(event_shape()[0]) * (1 + std::log(2 * std::numbers::pi));
}

Tensor MultivariateNormal::variance() const { return sum(square(scale_tril), -1); }
Tensor MultivariateNormal::covariance_matrix() const { return matmul(scale_tril, transpose(scale_tril, -2, -1)); }

Tensor kl_divergence(const MultivariateNormal& p, const MultivariateNormal& q) {
  if (p.event_shape() != q.event_shape())
    throw ShapeError(str("kl_divergence: p has ", p.event_shape()[0], " dimensions and q ", q.event_shape()[0]));
  const Tensor spread = sum(square(detail::solve_lower(q.factor_, p.factor_)), {-2, -1});
  const Tensor shift = detail::squared_distance(q.factor_, p.loc - q.loc);
  return log_determinant(q.scale_tril) - log_determinant(p.scale_tril) +
         0.5 * (spread + shift - static_cast<double>(p.event_shape()[0]));
}

}  // namespace minima::distributions
