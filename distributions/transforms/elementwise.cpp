#include <minima/distributions/transforms/elementwise.h>

#include <minima/distributions/core/distribution.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace minima::distributions {

namespace {

Tensor increases() { return scalar_tensor(1); }

}  // namespace

AffineTransform::AffineTransform(const Argument& loc, const Argument& scale, int event_dims)
    : AffineTransform(detail::broadcast_arguments("AffineTransform", {loc, scale}), event_dims) {}
AffineTransform::AffineTransform(std::vector<Tensor> parameters, int event_dims)
    : loc(std::move(parameters[0])), scale(std::move(parameters[1])), event_dims(event_dims) {}

Tensor AffineTransform::operator()(const Tensor& x) const { return loc + scale * x; }
Tensor AffineTransform::inverse(const Tensor& y) const { return (y - loc) / scale; }
Tensor AffineTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const {
  return detail::sum_rightmost(expand(log(abs(scale)), forward_shape(x.shape())), event_dims);
}
Shape AffineTransform::forward_shape(const Shape& shape) const { return broadcast(shape, scale.shape(), name()); }
Tensor AffineTransform::sign() const { return minima::sign(scale); }

Tensor ExpTransform::operator()(const Tensor& x) const { return exp(x); }
Tensor ExpTransform::inverse(const Tensor& y) const { return log(y); }
Tensor ExpTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const { return x; }
Tensor ExpTransform::contains(const Tensor& y) const { return y > 0; }
Tensor ExpTransform::drawn(const Tensor& y) const { return detail::positive_draw(y, y.dtype()); }
Tensor ExpTransform::sign() const { return increases(); }

PowerTransform::PowerTransform(const Argument& exponent)
    : exponent(detail::broadcast_arguments("PowerTransform", {exponent})[0]) {}
Tensor PowerTransform::operator()(const Tensor& x) const { return pow(x, exponent); }
Tensor PowerTransform::inverse(const Tensor& y) const { return pow(y, reciprocal(exponent)); }
Tensor PowerTransform::log_abs_det_jacobian(const Tensor& x, const Tensor& y) const {
  return log(abs(exponent * y / x));
}
Tensor PowerTransform::contains(const Tensor& y) const { return y > 0; }
Tensor PowerTransform::drawn(const Tensor& y) const { return detail::positive_draw(y, y.dtype()); }
Shape PowerTransform::forward_shape(const Shape& shape) const { return broadcast(shape, exponent.shape(), name()); }
Tensor PowerTransform::sign() const { return minima::sign(exponent); }

Tensor SigmoidTransform::operator()(const Tensor& x) const { return detail::open_unit(sigmoid(x)); }
Tensor SigmoidTransform::inverse(const Tensor& y) const {
  const Tensor p = detail::open_unit(y);
  return log(p) - log1p(neg(p));
}
Tensor SigmoidTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const {
  return log_sigmoid(x) + log_sigmoid(neg(x));
}
Tensor SigmoidTransform::contains(const Tensor& y) const { return (y > 0) & (y < 1); }
Tensor SigmoidTransform::sign() const { return increases(); }

Tensor SoftplusTransform::operator()(const Tensor& x) const { return softplus(x); }
Tensor SoftplusTransform::inverse(const Tensor& y) const { return log(neg(expm1(neg(y)))) + y; }
Tensor SoftplusTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const { return log_sigmoid(x); }
Tensor SoftplusTransform::contains(const Tensor& y) const { return y > 0; }
Tensor SoftplusTransform::drawn(const Tensor& y) const { return detail::positive_draw(y, y.dtype()); }
Tensor SoftplusTransform::sign() const { return increases(); }

Tensor TanhTransform::operator()(const Tensor& x) const { return tanh(x); }
Tensor TanhTransform::inverse(const Tensor& y) const { return atanh(y); }
Tensor TanhTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const {
  return 2 * (std::numbers::ln2 - x + log_sigmoid(2 * x));  // log(1 - tanh² x)
}
Tensor TanhTransform::contains(const Tensor& y) const { return (y > -1) & (y < 1); }
Tensor TanhTransform::drawn(const Tensor& y) const {
  const double largest = 1 - detail::epsilon_of(y.dtype());
  return clamp(y, -largest, largest);
}
Tensor TanhTransform::sign() const { return increases(); }

Tensor AbsTransform::operator()(const Tensor& x) const { return abs(x); }
Tensor AbsTransform::inverse(const Tensor& y) const { return y; }

}  // namespace minima::distributions
