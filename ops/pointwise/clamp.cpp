#include <minima/ops/pointwise/arithmetic.h>

#include <minima/ops/copy/casts.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/composed.h>
#include <minima/ops/pointwise/functors/arithmetic.h>

#include <cmath>
#include <limits>

namespace minima {

namespace {

/// The largest finite number of a floating dtype.
double largest(DType dtype) {
  switch (dtype) {
    case DType::float16: return 65504;
    case DType::bfloat16: return 0x1.fep127;
    case DType::float32: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
  }
}

struct NanToNum : Unary<NanToNum, pointwise::functor::NanToNum, full_floating> {
  static constexpr Traits traits{.name = "nan_to_num"};
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.number("nan", f.nan);
    visitor.number("infinity", f.infinity);
    visitor.number("minus_infinity", f.minus_infinity);
  }
  Tensor gradient(Grad g, Input<0> x) const { return where(isfinite(x), g, 0); }
};

}  // namespace

Tensor clamp(const Tensor& x, const Tensor& low, const Tensor& high) {
  detail::check_defined("clamp", x);
  if (low.defined()) broadcast(x.shape(), low.shape(), "clamp");
  if (high.defined()) broadcast(x.shape(), high.shape(), "clamp");
  if (!low.defined()) return high.defined() ? minimum(x, high) : x;
  if (!high.defined()) return maximum(x, low);
  return detail::in_common(
      [](const Tensor& y, const Tensor& least, const Tensor& most) { return minimum(maximum(y, least), most); }, x, low,
      high);
}

const Tensor& clamp_(const Tensor& x, Scalar low, Scalar high) {
  detail::change("clamp_", x, [&](const Tensor& old) { return clamp(old, low, high); });
  return x;
}

Tensor nan_to_num(const Tensor& x, const NanToNumOptions& options) {
  detail::check_defined("nan_to_num", x);
  if (!is_floating(x.dtype())) return x;
  const double most = largest(x.dtype());
  const auto or_limit = [](double value, double limit) { return std::isnan(value) ? limit : value; };
  NanToNum op;
  op.f = {options.nan, or_limit(options.posinf, most), or_limit(options.neginf, -most)};
  return apply(op, x);
}

Tensor fmax(const Tensor& a, const Tensor& b) {
  detail::check_all_defined("fmax", a, b);
  broadcast(a.shape(), b.shape(), "fmax");
  return where(isnan(a), b, where(isnan(b), a, maximum(a, b)));
}

Tensor fmin(const Tensor& a, const Tensor& b) {
  detail::check_all_defined("fmin", a, b);
  broadcast(a.shape(), b.shape(), "fmin");
  return where(isnan(a), b, where(isnan(b), a, minimum(a, b)));
}

Tensor heaviside(const Tensor& x, const Tensor& values) {
  detail::check_one_dtype("heaviside", x, values);
  const NoGrad constant;
  return where(x == 0, values, cast(x > 0, x.dtype()));
}

}  // namespace minima
