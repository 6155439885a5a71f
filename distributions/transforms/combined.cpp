#include <minima/distributions/transforms/combined.h>

#include <minima/distributions/core/distribution.h>
#include <minima/distributions/transforms/transform.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace minima::distributions {

Transform::~Transform() = default;

Tensor Transform::log_abs_det_jacobian(const Tensor&, const Tensor&) const {
  throw ValueError(str(name(), " is no bijection, so densities do not follow it"));
}
Tensor Transform::contains(const Tensor&) const { return {}; }
Tensor Transform::drawn(const Tensor& y) const { return y; }
Tensor Transform::sign() const { throw ValueError(str(name(), " is not monotonic, so it has no sign")); }

ComposeTransform::ComposeTransform(Transforms transforms) : parts(std::move(transforms)) {
  for (std::size_t i = parts.size(); i-- > 0;)
    domain_dims_ = std::max(domain_dims_ - parts[i].codomain_dims(), 0) + parts[i].domain_dims();
  for (std::size_t i = 0; i < parts.size(); ++i)
    codomain_dims_ = std::max(codomain_dims_ - parts[i].domain_dims(), 0) + parts[i].codomain_dims();
}

Tensor ComposeTransform::operator()(const Tensor& x) const {
  Tensor y = x;
  for (std::size_t i = 0; i < parts.size(); ++i) y = parts[i](y);
  return y;
}

Tensor ComposeTransform::inverse(const Tensor& y) const {
  Tensor x = y;
  for (std::size_t i = parts.size(); i-- > 0;) x = parts[i].inverse(x);
  return x;
}

Tensor ComposeTransform::log_abs_det_jacobian(const Tensor& x, const Tensor& y) const {
  if (parts.size() == 0) return zeros_like(x);
  Tensor total, from = x;
  int dims = domain_dims_;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Transform& part = parts[i];
    const Tensor to = i + 1 == parts.size() ? y : part(from);
    const Tensor term = detail::sum_rightmost(part.log_abs_det_jacobian(from, to), dims - part.domain_dims());
    total = total.defined() ? total + term : term;
    dims += part.codomain_dims() - part.domain_dims();
    from = to;
  }
  return total;
}

Tensor ComposeTransform::contains(const Tensor& y) const {
  return parts.size() == 0 ? Tensor() : parts[parts.size() - 1].contains(y);
}
Tensor ComposeTransform::drawn(const Tensor& y) const {
  return parts.size() == 0 ? y : parts[parts.size() - 1].drawn(y);
}
double ComposeTransform::inside() const { return parts.size() == 0 ? 0 : parts[parts.size() - 1].inside(); }

Shape ComposeTransform::forward_shape(const Shape& shape) const {
  Shape result = shape;
  for (std::size_t i = 0; i < parts.size(); ++i) result = parts[i].forward_shape(result);
  return result;
}
Shape ComposeTransform::inverse_shape(const Shape& shape) const {
  Shape result = shape;
  for (std::size_t i = parts.size(); i-- > 0;) result = parts[i].inverse_shape(result);
  return result;
}

Tensor ComposeTransform::sign() const {
  Tensor result = scalar_tensor(1);
  for (std::size_t i = 0; i < parts.size(); ++i) result = result * parts[i].sign();
  return result;
}

IndependentTransform::IndependentTransform(Transforms transforms, int dims) : base(std::move(transforms)), dims(dims) {
  if (dims < 0) throw ValueError(str("IndependentTransform: dims must not be negative, got ", dims));
}
Tensor IndependentTransform::operator()(const Tensor& x) const { return base(x); }
Tensor IndependentTransform::inverse(const Tensor& y) const { return base.inverse(y); }
Tensor IndependentTransform::log_abs_det_jacobian(const Tensor& x, const Tensor& y) const {
  return detail::sum_rightmost(base.log_abs_det_jacobian(x, y), dims);
}
Tensor IndependentTransform::contains(const Tensor& y) const { return base.contains(y); }
Tensor IndependentTransform::drawn(const Tensor& y) const { return base.drawn(y); }

Tensor CumulativeDistributionTransform::operator()(const Tensor& x) const { return law->cdf(x); }
Tensor CumulativeDistributionTransform::inverse(const Tensor& y) const { return law->icdf(y); }
Tensor CumulativeDistributionTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const {
  return law->log_prob(x);
}
Tensor CumulativeDistributionTransform::contains(const Tensor& y) const { return (y >= 0) & (y <= 1); }
Tensor CumulativeDistributionTransform::sign() const { return scalar_tensor(1); }

}  // namespace minima::distributions
