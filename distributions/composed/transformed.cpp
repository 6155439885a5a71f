#include <minima/distributions/composed/transformed.h>

#include <minima/distributions/core/distribution.h>
#include <minima/distributions/transforms/combined.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

namespace minima::distributions {

namespace {

/// The shape of a draw, whose last dimensions are the event.
struct Parts {
  Shape whole;
  int event;
  Shape batch_shape() const {
    Shape shape = whole;
    shape.resize(whole.rank() - event);
    return shape;
  }
  Shape event_shape() const { return Shape(whole.begin() + (whole.rank() - event), event); }
};

Parts parts_of(const Distribution& base, const ComposeTransform& transform) {
  const Shape shape = detail::joined(base.batch_shape(), base.event_shape());
  if (shape.rank() < transform.domain_dims())
    throw ShapeError(str("TransformedDistribution: the transforms take ", transform.domain_dims(),
                         " dimensions, but a draw from ", base.name(), " has the shape ", shape));
  return {transform.forward_shape(shape),
          transform.codomain_dims() + std::max(base.event_shape().rank() - transform.domain_dims(), 0)};
}

/// 1 - p where the transforms decrease.
Tensor oriented(const Tensor& probability, const Tensor& sign) {
  return where(sign.to(probability.device()) < 0, 1 - probability, probability);
}

}  // namespace

TransformedDistribution::TransformedDistribution(std::shared_ptr<const Distribution> of, ComposeTransform by)
    : Distribution(parts_of(*of, by).batch_shape(), parts_of(*of, by).event_shape()),
      base(std::move(of)),
      transform(std::move(by)) {}

Tensor TransformedDistribution::draw(const Shape& shape, RandomGenerator* generator) const {
  Tensor y = draw_from(*base, transform.inverse_shape(shape), generator);
  for (std::size_t i = 0; i < transform.parts.size(); ++i) y = transform.parts[i].drawn(transform.parts[i](y));
  return y;
}

Tensor TransformedDistribution::log_prob(const Tensor& value) const {
  int event = event_shape().rank();
  Tensor total, supported, y = value;
  for (std::size_t i = transform.parts.size(); i-- > 0;) {
    const Transform& part = transform.parts[i];
    if (const Tensor allowed = part.contains(y); allowed.defined()) {
      y = detail::within(allowed, y, part.inside());
      const Tensor whole = event == 0 ? allowed : all(flatten(allowed, allowed.rank() - event), {-1});
      supported = supported.defined() ? supported & whole : whole;
    }
    const Tensor x = part.inverse(y);
    event += part.domain_dims() - part.codomain_dims();
    const Tensor slope = detail::sum_rightmost(part.log_abs_det_jacobian(x, y), event - part.domain_dims());
    total = total.defined() ? total + slope : slope;
    y = x;
  }
  const Tensor density = detail::sum_rightmost(base->log_prob(y), event - base->event_shape().rank());
  const Tensor result = total.defined() ? density - total : density;
  return supported.defined() ? detail::minus_infinity_outside(supported, result) : result;
}

Tensor TransformedDistribution::cdf(const Tensor& value) const {
  Tensor y = value, is_outside, known, sign = scalar_tensor(1, {.device = value.device()});
  for (std::size_t i = transform.parts.size(); i-- > 0;) {
    const Transform& part = transform.parts[i];
    if (const Tensor allowed = part.contains(y); allowed.defined()) {
      // Below all images of the transform, or above them.
      const Tensor beyond = oriented((y > part.inside()).to(y.dtype()), sign);
      known = known.defined() ? where(is_outside, known, beyond) : beyond;
      is_outside = is_outside.defined() ? is_outside | ~allowed : ~allowed;
      y = detail::within(allowed, y, part.inside());
    }
    y = part.inverse(y);
    sign = sign * part.sign().to(value.device());
  }
  const Tensor result = oriented(base->cdf(y), sign);
  return is_outside.defined() ? where(isnan(value), std::nan(""), where(is_outside, known, result)) : result;
}

Tensor TransformedDistribution::icdf(const Tensor& probability) const {
  return transform(base->icdf(oriented(probability, transform.sign())));
}

}  // namespace minima::distributions
