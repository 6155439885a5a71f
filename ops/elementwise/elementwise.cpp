#include <minima/ops/elementwise/elementwise.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/copy/in_common.h>
#include <minima/ops/copy/in_full.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/pointwise/functors/arithmetic.h>
#include <minima/ops/pointwise/functors/exponential.h>
#include <minima/ops/pointwise/rounding.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/tensor/base/dispatch.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace minima {

namespace {

template <class... More>
void check_defined_all(const char* op, const More&... x) {
  int argument = 0;
  (detail::check_defined(op, x, argument++), ...);
}

template <class... In>
void check_floating(const char* op, const In&... in) {
  for (const Tensor* x : {&in...})
    if (!is_floating(x->dtype()))
      throw DTypeError(str(op, ": needs floating tensors, got ", *x, "; convert it with to()"));
}

/// x, or float32 for integers.
Tensor real(const char* op, const Tensor& x) {
  detail::check_defined(op, x);
  return is_floating(x.dtype()) ? x : cast(x, DType::float32);
}

using detail::in_common;
using detail::in_full;

/// in_common for functions of two real numbers: integers give float32.
template <class F>
Tensor in_common_real(const char* op, const F& f, const Tensor& a, const Tensor& b) {
  check_defined_all(op, a, b);
  broadcast(a.shape(), b.shape(), op);
  const Tensor* const both[] = {&a, &b};
  const DType dtype = detail::promoted(both, 2);
  if (is_complex(dtype)) throw DTypeError(str(op, ": needs real tensors, got ", a, " and ", b));
  const detail::WithoutAutocast guard;
  return is_floating(dtype) ? in_common(f, a, b) : f(cast(a, DType::float32), cast(b, DType::float32));
}

void check_same(const char* op, const Tensor& a, const Tensor& b) {
  check_defined_all(op, a, b);
  if (a.dtype() != b.dtype())
    throw DTypeError(str(op, ": needs two tensors of one dtype, got ", a, " and ", b, "; convert them with to()"));
  broadcast(a.shape(), b.shape(), op);
}

/// The largest finite number of a floating dtype.
double largest(DType dtype) {
  switch (dtype) {
    case DType::float16: return 65504;
    case DType::bfloat16: return 0x1.fep127;
    case DType::float32: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
  }
}

/// All three in the widest dtype of an autocast region, after checks.
std::array<Tensor, 3> widest(const char* op, const Tensor& x, const Tensor& a, const Tensor& b) {
  check_defined_all(op, x, a, b);
  broadcast(x.shape(), broadcast(a.shape(), b.shape(), op), op);
  std::array<Tensor, 3> all{x, a, b};
  if (detail::mode().autocast) detail::autocast_inputs(Cast::widest, all.data(), all.size());
  return all;
}

struct Addcmul : Ternary<Addcmul, pointwise::functor::Addcmul, full_floating> {
  static constexpr Traits traits{.name = "addcmul"};
  Gradients<3> gradient(Grad g, Input<1, 2> a, Input<2, 1> b, Needs needs) const {
    return {g, needs[1] ? g * b * f.value : Tensor(), needs[2] ? g * a * f.value : Tensor()};
  }
};

struct Addcdiv : Ternary<Addcdiv, pointwise::functor::Addcdiv, full_floating> {
  static constexpr Traits traits{.name = "addcdiv"};
  Gradients<3> gradient(Grad g, Input<1, 2> a, Input<2, 1, 2> b, Needs needs) const {
    return {g, needs[1] ? g / b * f.value : Tensor(), needs[2] ? g * (a / b) / -b * f.value : Tensor()};
  }
};

template <class Op>
Op with_value(double value) {
  Op op;
  op.f.value = value;
  return op;
}

struct Xlogy : Binary<Xlogy, pointwise::functor::Xlogy, full_floating, ResultType::floating> {
  static constexpr Traits traits{.name = "xlogy"};
  Gradients<2> gradient(Grad g, Input<0> x, Input<1> given, Needs needs) const {
    const Tensor y = cast(given, g.dtype()), safe = where(logical_and(x == 0, y <= 0), 1, y);
    return {needs[0] ? g * log(safe) : Tensor(), needs[1] ? g * (x / safe) : Tensor()};
  }
};

struct NanToNum : Unary<NanToNum, pointwise::functor::NanToNum, full_floating> {
  static constexpr Traits traits{.name = "nan_to_num"};
  Tensor gradient(Grad g, Input<0> x) const { return where(isfinite(x), g, 0); }
};

constexpr double ln_2 = std::numbers::ln2, pi = std::numbers::pi;

}  // namespace

Tensor lerp(const Tensor& start, const Tensor& end, const Tensor& weight) {
  check_defined_all("lerp", start, end, weight);
  check_floating("lerp", start, end, weight);
  broadcast(start.shape(), broadcast(end.shape(), weight.shape(), "lerp"), "lerp");
  const auto weighted = [](const Tensor& from, const Tensor& to, const Tensor& by) {
    const Tensor step = to - from;
    return where(abs(by) < 0.5, from + by * step, to - step * (1 - by));  // exact at 0 and at 1
  };
  return in_common(weighted, start, end, weight);
}

Tensor addcmul(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value) {
  const auto [sum, left, right] = widest("addcmul", x, a, b);
  for (const Tensor* in : {&sum, &left, &right})
    if (in->dtype() == DType::boolean)
      throw DTypeError(str("addcmul: needs tensors of numbers, got ", *in, "; convert it with to()"));
  const bool is_fused = is_floating(sum.dtype()) && is_floating(left.dtype()) && is_floating(right.dtype());
  if (is_fused) return apply(with_value<Addcmul>(value.to<double>()), sum, left, right);
  return in_common([&](const Tensor& to, const Tensor& by, const Tensor& of) { return to + by * of * value; }, sum,
                   left, right);
}

Tensor addcdiv(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value) {
  const auto [sum, left, right] = widest("addcdiv", x, a, b);
  check_floating("addcdiv", sum, left, right);
  return apply(with_value<Addcdiv>(value.to<double>()), sum, left, right);
}

Tensor clamp(const Tensor& x, const Tensor& low, const Tensor& high) {
  detail::check_defined("clamp", x);
  if (low.defined()) broadcast(x.shape(), low.shape(), "clamp");
  if (high.defined()) broadcast(x.shape(), high.shape(), "clamp");
  if (!low.defined()) return high.defined() ? minimum(x, high) : x;
  if (!high.defined()) return maximum(x, low);
  return in_common(
      [](const Tensor& y, const Tensor& least, const Tensor& most) { return minimum(maximum(y, least), most); }, x, low,
      high);
}

Tensor sinc(const Tensor& x) {
  // Σ (-1)ᵏ a²ᵏ / (2k + 1)! for small angles, where the derivatives of sin(a) / a cancel.
  const Tensor y = real("sinc", x), angle = in_full(y) * pi, is_small = abs(angle) < 0.5;
  const Tensor power = square(where(is_small, angle, 0)), divisor = where(is_small, 1, angle);
  Tensor series = ones_like(angle);
  for (int k = 7; k > 0; --k) series = 1 - power * series / (2 * k * (2 * k + 1));
  return cast(where(is_small, series, sin(divisor) / divisor), y.dtype());
}

Tensor xlogy(const Tensor& x, const Tensor& y) {
  check_defined_all("xlogy", x, y);
  return apply(Xlogy{}, x, y);
}

Tensor logit(const Tensor& x, double eps) {
  const Tensor p = real("logit", x), wide = in_full(p);
  const detail::WithoutAutocast guard;
  const Tensor inside = eps < 0      ? wide
                        : eps <= 0.5 ? clamp(wide, eps, 1 - eps)
                                     : where(wide < eps, eps, where(wide > 1 - eps, 1 - eps, wide));
  return cast(log(inside) - log1p(-inside), p.dtype());
}

Tensor logaddexp2(const Tensor& a, const Tensor& b) {
  check_defined_all("logaddexp2", a, b);
  check_floating("logaddexp2", a, b);
  return in_common_real(
      "logaddexp2", [](const Tensor& x, const Tensor& y) { return logaddexp(x * ln_2, y * ln_2) / ln_2; }, a, b);
}

Tensor ldexp(const Tensor& x, const Tensor& n) {
  return in_common_real(
      "ldexp",
      [](const Tensor& of, const Tensor& power) {
        // 2ⁿ may overflow, or vanish, where x·2ⁿ does not, so the whole part of n is cut in two.
        const double limit = of.dtype() == DType::float64 ? 1000 : 120;
        const Tensor part = clamp(floor(power.detach()), -limit, limit);
        return of * exp2(part) * exp2(power - part);
      },
      x, n);
}

Tensor deg2rad(const Tensor& x) { return real("deg2rad", x) * (pi / 180); }
Tensor rad2deg(const Tensor& x) { return real("rad2deg", x) * (180 / pi); }

Tensor tanhshrink(const Tensor& x) {
  detail::check_defined("tanhshrink", x);
  check_floating("tanhshrink", x);
  const Tensor wide = in_full(x);  // the difference cancels
  return cast(wide - tanh(wide), x.dtype());
}

Tensor threshold(const Tensor& x, Scalar limit, Scalar value) {
  detail::check_defined("threshold", x);
  detail::check_number("threshold", value, x.dtype());
  return where(x <= limit, full({}, value, {.dtype = x.dtype(), .device = x.device()}), x);
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
  check_defined_all("fmax", a, b);
  broadcast(a.shape(), b.shape(), "fmax");
  return where(isnan(a), b, where(isnan(b), a, maximum(a, b)));
}

Tensor fmin(const Tensor& a, const Tensor& b) {
  check_defined_all("fmin", a, b);
  broadcast(a.shape(), b.shape(), "fmin");
  return where(isnan(a), b, where(isnan(b), a, minimum(a, b)));
}

Tensor heaviside(const Tensor& x, const Tensor& values) {
  check_same("heaviside", x, values);
  const NoGrad constant;
  return where(x == 0, values, cast(logical_not(x < 0), x.dtype()));
}

Tensor isinf(const Tensor& x) {
  detail::check_defined("isinf", x);
  if (!is_floating(x.dtype())) return ne(x, x);
  return abs(x.detach()) == std::numeric_limits<double>::infinity();
}

Tensor isposinf(const Tensor& x) {
  detail::check_defined("isposinf", x);
  return is_floating(x.dtype()) ? x == std::numeric_limits<double>::infinity() : ne(x, x);
}

Tensor isneginf(const Tensor& x) {
  detail::check_defined("isneginf", x);
  return is_floating(x.dtype()) ? x == -std::numeric_limits<double>::infinity() : ne(x, x);
}

Tensor isclose(const Tensor& a, const Tensor& b, const IscloseOptions& options) {
  constexpr const char* op = "isclose";
  check_same(op, a, b);
  if (!(options.rtol >= 0) || !(options.atol >= 0))
    throw ValueError(str(op, ": tolerances must not be negative, got rtol ", options.rtol, " and atol ", options.atol));
  const NoGrad constant;
  Tensor close = a == b;
  if (options.equal_nan) close = logical_or(close, logical_and(isnan(a), isnan(b)));
  if (options.rtol == 0 && options.atol == 0) return close;
  // Integers are compared in float64, so that no difference wraps around.
  const bool is_whole = !is_floating(a.dtype());
  const Tensor x = is_whole ? cast(a, DType::float64) : a, y = is_whole ? cast(b, DType::float64) : b;
  const Tensor distance = abs(x - y);
  return logical_or(close, logical_and(isfinite(distance), distance <= abs(y) * options.rtol + options.atol));
}

Tensor logical_xor(const Tensor& a, const Tensor& b) {
  check_defined_all("logical_xor", a, b);
  broadcast(a.shape(), b.shape(), "logical_xor");
  return ne(logical_not(a), logical_not(b));
}

}  // namespace minima
