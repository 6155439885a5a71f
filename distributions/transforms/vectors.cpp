#include <minima/distributions/transforms/vectors.h>

#include <minima/distributions/core/distribution.h>
#include <minima/distributions/multivariate/factors.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <utility>

namespace minima::distributions {

namespace {

/// log(K), …, log(1) for vectors x [..., K].
Tensor log_shares(const Tensor& x) { return log(arange(x.size(-1), 0, -1, {.device = x.device()}).to(x.dtype())); }

/// x's last size, changed by `by`.
Shape with_last(Shape shape, int by, const char* name) {
  if (shape.rank() == 0 || shape.back() + by < 1)
    throw ShapeError(str(name, ": a shape of ", shape, " has too few elements in its last dimension"));
  shape[shape.rank() - 1] += by;
  return shape;
}

/// The diagonal of x replaced by f of it, and nothing above it.
template <class F>
Tensor with_diagonal(const Tensor& x, F f) {
  return tril(x, -1) + diag_embed(f(diagonal(x, 0, -2, -1)));
}

Shape replaced(const Shape& shape, const Shape& from, const Shape& to) {
  const int batch = shape.rank() - from.rank();
  bool fits = batch >= 0;
  for (int i = 0; fits && i < from.rank(); ++i) fits = shape[batch + i] == from[i];
  if (!fits) throw ShapeError(str("ReshapeTransform: a shape of ", shape, " does not end with ", from));
  Shape result = shape;
  result.resize(batch);
  return detail::joined(result, to);
}

}  // namespace

Tensor SoftmaxTransform::operator()(const Tensor& x) const { return softmax(x, -1); }
Tensor SoftmaxTransform::inverse(const Tensor& y) const { return log(y); }

Tensor StickBreakingTransform::operator()(const Tensor& x) const {
  const Tensor share = detail::open_unit(sigmoid(x - log_shares(x))), left = cumprod(1 - share, -1);
  return pad(share, {0, 1}, PadMode::constant, 1) * pad(left, {1, 0}, PadMode::constant, 1);
}
Tensor StickBreakingTransform::inverse(const Tensor& y) const {
  const Tensor shares = narrow(y, -1, 0, y.size(-1) - 1);
  const Tensor left = clamp_min(1 - cumsum(shares, -1), detail::smallest_normal(y.dtype()));
  return log(shares) - log(left) + log_shares(shares);
}
Tensor StickBreakingTransform::log_abs_det_jacobian(const Tensor& x, const Tensor& y) const {
  const Tensor shifted = x - log_shares(x);
  return sum(log_sigmoid(shifted) - shifted + log(narrow(y, -1, 0, y.size(-1) - 1)), -1);
}
Tensor StickBreakingTransform::contains(const Tensor& y) const { return y > 0; }
Shape StickBreakingTransform::forward_shape(const Shape& shape) const { return with_last(shape, 1, name()); }
Shape StickBreakingTransform::inverse_shape(const Shape& shape) const { return with_last(shape, -1, name()); }

Tensor LowerCholeskyTransform::operator()(const Tensor& x) const {
  return with_diagonal(x, [](const Tensor& d) { return exp(d); });
}
Tensor LowerCholeskyTransform::inverse(const Tensor& y) const {
  return with_diagonal(y, [](const Tensor& d) { return log(d); });
}

Tensor PositiveDefiniteTransform::operator()(const Tensor& x) const {
  const Tensor lower = LowerCholeskyTransform()(x);
  return matmul(lower, transpose(lower, -2, -1));
}
Tensor PositiveDefiniteTransform::inverse(const Tensor& y) const {
  return LowerCholeskyTransform().inverse(detail::cholesky_factor(y));
}

ReshapeTransform::ReshapeTransform(Shape from, Shape to) : from(std::move(from)), to(std::move(to)) {
  if (numel(this->from) != numel(this->to))
    throw ShapeError(str("ReshapeTransform: shapes ", this->from, " and ", this->to, " differ in elements"));
}
Tensor ReshapeTransform::operator()(const Tensor& x) const { return reshape(x, forward_shape(x.shape())); }
Tensor ReshapeTransform::inverse(const Tensor& y) const { return reshape(y, inverse_shape(y.shape())); }
Tensor ReshapeTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const {
  return zeros(replaced(x.shape(), from, {}), detail::options_of(x));
}
Shape ReshapeTransform::forward_shape(const Shape& shape) const { return replaced(shape, from, to); }
Shape ReshapeTransform::inverse_shape(const Shape& shape) const { return replaced(shape, to, from); }

}  // namespace minima::distributions
