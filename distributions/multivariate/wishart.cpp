#include <minima/distributions/multivariate/wishart.h>

#include <minima/distributions/continuous/gamma.h>
#include <minima/distributions/core/distribution.h>
#include <minima/distributions/multivariate/dirichlet.h>
#include <minima/distributions/multivariate/factors.h>
#include <minima/distributions/multivariate/multivariate_normal.h>
#include <minima/ops/ops.h>
#include <minima/ops/special/gamma.h>
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

constexpr const char* wishart_name = "Wishart";

Tensor log_determinant_of(const Tensor& lower) { return sum(log(diagonal(lower, 0, -2, -1)), -1); }

/// df - i for i = 0, …, D - 1 in a new last dimension.
Tensor degrees(const Tensor& df, std::int64_t size) {
  return unsqueeze(df, -1) - arange(size, {.device = df.device()}).to(df.dtype());
}

/// The derivative of mvlgamma.
Tensor mvdigamma(const Tensor& x, std::int64_t size) { return sum(digamma(degrees(x * 2, size) * 0.5), -1); }

Shape batch_of(const Tensor& matrices) {
  Shape shape = matrices.shape();
  shape.resize(shape.rank() - 2);
  return shape;
}

}  // namespace

Wishart::Parts Wishart::broadcast_parts(const Tensor& df, const Covariance& covariance) {
  if (covariance.matrix.defined() == covariance.scale_tril.defined())
    throw ValueError(str(wishart_name, ": pass either matrix or scale_tril"));
  const Tensor& given = covariance.matrix.defined() ? covariance.matrix : covariance.scale_tril;
  if (given.rank() < 2 || given.size(-1) != given.size(-2))
    throw ShapeError(str(wishart_name, ": needs square matrices [..., D, D], got ", given));
  if (!is_floating(df.dtype()) || df.dtype() != given.dtype())
    throw DTypeError(str(wishart_name, ": df and matrix must be of one floating dtype, got ", df, " and ", given));
  const std::int64_t size = given.size(-1);
  const Tensor lower = covariance.matrix.defined() ? detail::cholesky_factor(given) : tril(given);
  detail::expect_positive(wishart_name, "the diagonal of the covariance's Cholesky factor",
                          diagonal(lower.detach(), 0, -2, -1));
  detail::expect_positive(wishart_name, "df - D + 1", df.detach() - static_cast<double>(size - 1));
  const Shape batch = broadcast(df.shape(), batch_of(lower), wishart_name);
  return {expand(df, batch), expand(lower, detail::joined(batch, {size, size}))};
}

Wishart::Wishart(const Tensor& df, const Covariance& covariance) : Wishart(broadcast_parts(df, covariance)) {}

Wishart::Wishart(const Parts& parts)
    : Distribution(parts.df.shape(), {parts.scale_tril.size(-1), parts.scale_tril.size(-1)}),
      df(parts.df),
      scale_tril(parts.scale_tril) {}

// Below the diagonal normal numbers, on it the roots of χ² variables with df - i degrees of freedom.
Tensor Wishart::draw(const Shape& shape, RandomGenerator* generator) const {
  const std::int64_t size = event_shape()[0];
  Shape vectors = shape;
  vectors.resize(shape.rank() - 1);
  const Tensor halves = degrees(df, size) * 0.5;
  const Gamma chi2(halves, full({}, 0.5, detail::options_of(df)));
  const Tensor below = tril(randn(shape, detail::options_of(df), generator), -1);
  const Tensor factor = matmul(scale_tril, below + diag_embed(sqrt(draw_from(chi2, vectors, generator))));
  return matmul(factor, transpose(factor, -2, -1));
}

Tensor Wishart::log_prob(const Tensor& value) const {
  const auto size = static_cast<double>(event_shape()[0]);
  const Tensor lower = detail::cholesky_factor(value), known = log_determinant_of(scale_tril);
  const Tensor quadratic = sum(square(detail::solve_lower(scale_tril, lower)), {-2, -1});
  const Tensor inside = (df - (size + 1)) * log_determinant_of(lower) - quadratic * 0.5 -
                        df * (0.5 * size * std::log(2)) - df * known - mvlgamma(df * 0.5, event_shape()[0]);
  const Tensor asymmetry = abs(value - transpose(value, -2, -1));
  const Tensor symmetric = all(asymmetry <= 1e-6 + 1e-5 * abs(value), {-2, -1});
  return detail::minus_infinity_outside(symmetric & logical_not(isnan(inside)), inside);
}

Tensor Wishart::entropy() const {
  const std::int64_t dims = event_shape()[0];
  const auto size = static_cast<double>(dims);
  return (size + 1) * (0.5 * size * std::log(2) + log_determinant_of(scale_tril)) + mvlgamma(df * 0.5, dims) -
         (df - (size + 1)) * 0.5 * mvdigamma(df * 0.5, dims) + df * (size / 2);
}

Tensor Wishart::covariance_matrix() const { return matmul(scale_tril, transpose(scale_tril, -2, -1)); }
Tensor Wishart::mean() const { return unsqueeze(unsqueeze(df, -1), -1) * covariance_matrix(); }
Tensor Wishart::variance() const {
  const Tensor v = covariance_matrix(), d = diagonal(v, 0, -2, -1);
  return unsqueeze(unsqueeze(df, -1), -1) * (square(v) + unsqueeze(d, -1) * unsqueeze(d, -2));
}

Tensor kl_divergence(const Wishart& p, const Wishart& q) {
  if (p.event_shape() != q.event_shape())
    throw ShapeError(str("kl_divergence: p has ", p.event_shape()[0], " dimensions and q ", q.event_shape()[0]));
  const std::int64_t dims = p.event_shape()[0];
  const Tensor spread = sum(square(detail::solve_lower(q.scale_tril, p.scale_tril)), {-2, -1});
  return q.df * (log_determinant_of(q.scale_tril) - log_determinant_of(p.scale_tril)) +
         0.5 * p.df * (spread - static_cast<double>(dims)) + mvlgamma(q.df * 0.5, dims) - mvlgamma(p.df * 0.5, dims) +
         (p.df - q.df) * 0.5 * mvdigamma(p.df * 0.5, dims);
}

LKJCholesky::LKJCholesky(std::int64_t dim, const Argument& concentration)
    : LKJCholesky(dim, detail::broadcast_arguments("LKJCholesky", {concentration})[0], true) {}

LKJCholesky::LKJCholesky(std::int64_t dim, const Tensor& concentration, bool)
    : Distribution(concentration.shape(), {dim, dim}), dim(dim), concentration(concentration) {
  if (dim < 2) throw ValueError(str("LKJCholesky: dim must be at least 2, got ", dim));
  detail::expect_positive("LKJCholesky", "concentration", concentration);
}

// Row i is a direction of i dimensions whose squared length has a Beta distribution, and the rest of 1.
Tensor LKJCholesky::draw(const Shape& shape, RandomGenerator* generator) const {
  const TensorOptions options = detail::options_of(concentration);
  const Tensor rows = arange(dim - 1, {.device = options.device}).to(options.dtype);
  const Tensor offset = pad(rows, {1, 0});
  const Tensor center = unsqueeze(concentration, -1) + 0.5 * static_cast<double>(dim - 2);
  Shape vectors = shape;
  vectors.resize(shape.rank() - 1);
  const Beta lengths(offset * 0.5 + 0.5, center - offset * 0.5);
  const Tensor size = sqrt(unsqueeze(draw_from(lengths, vectors, generator), -1));
  const Tensor noise = tril(randn(shape, options, generator), -1);
  // The first row has no direction.
  const Tensor norms = clamp_min(norm(noise, 2, {-1}, true), detail::smallest_normal(options.dtype));
  const Tensor below = size * (noise / norms);
  const Tensor rest = clamp_min(1 - sum(square(below), -1), detail::smallest_normal(options.dtype));
  return below + diag_embed(sqrt(rest));
}

Tensor LKJCholesky::log_prob(const Tensor& value) const {
  const std::int64_t others = dim - 1;
  const auto count = static_cast<double>(others);
  const Tensor diagonal_of = diagonal(value, 0, -2, -1);
  const double rounding = 10 * static_cast<double>(dim) * detail::epsilon_of(value.dtype());
  const Tensor supported = all(diagonal_of > 0, {-1}) & all(triu(value, 1) == 0, {-2, -1}) &
                           all(abs(norm(value, 2, {-1}) - 1) <= rounding, {-1});
  const Tensor diagonals = narrow(detail::within(diagonal_of > 0, diagonal_of, 1), -1, 1, others);
  const Tensor back = arange(others, 0, -1, {.device = value.device()}).to(value.dtype()) - 1;
  const Tensor order = unsqueeze(concentration - 1, -1) * 2 + back;
  const Tensor alpha = concentration + 0.5 * count;
  const Tensor log_constant =
      0.5 * count * std::log(std::numbers::pi) + mvlgamma(alpha - 0.5, others) - lgamma(alpha) * count;
  return detail::minus_infinity_outside(supported, sum(order * log(diagonals), -1) - log_constant);
}

}  // namespace minima::distributions
