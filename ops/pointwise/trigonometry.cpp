#include <minima/ops/pointwise/trigonometry.h>

#include <minima/autograd/mode.h>
#include <minima/ops/copy/casts.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/apply.h>
#include <minima/ops/core/complex_ops.h>
#include <minima/ops/core/gradient_arguments.h>
#include <minima/ops/core/spec.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/loops/cuda_loop.h>
#include <minima/ops/loops/scalars.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/activation_gradient.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/composed.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/pointwise/functors/trigonometry.h>
#include <minima/ops/pointwise/rounding.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/tensor.h>

#include <numbers>
#include <utility>

namespace minima {

namespace functor = pointwise::functor;

namespace {

template <class Self, class F>
using Real = Unary<Self, F, full_floating, ResultType::floating>;

constexpr double pi = std::numbers::pi;

struct Sin : Real<Sin, functor::Sin> {
  static constexpr Traits traits{.name = "sin"};
  Tensor gradient(Grad g, Input<0> x) const { return g * cos(x); }
};
struct Cos : Real<Cos, functor::Cos> {
  static constexpr Traits traits{.name = "cos"};
  Tensor gradient(Grad g, Input<0> x) const { return -(g * sin(x)); }
};
struct Tan : Real<Tan, functor::Tan> {
  static constexpr Traits traits{.name = "tan", .autocast = Cast::to_float32};
  Tensor gradient(Grad g, Output y) const { return g * (y * y + 1); }
};
struct Asin : Real<Asin, functor::Asin> {
  static constexpr Traits traits{.name = "asin", .autocast = Cast::to_float32};
  Tensor gradient(Grad g, Input<0> x) const { return g * rsqrt(1 - x * x); }
};
struct Acos : Real<Acos, functor::Acos> {
  static constexpr Traits traits{.name = "acos", .autocast = Cast::to_float32};
  Tensor gradient(Grad g, Input<0> x) const { return -(g * rsqrt(1 - x * x)); }
};
struct Atan : Real<Atan, functor::Atan> {
  static constexpr Traits traits{.name = "atan"};
  Tensor gradient(Grad g, Input<0> x) const { return g / (x * x + 1); }
};
struct Sinh : Real<Sinh, functor::Sinh> {
  static constexpr Traits traits{.name = "sinh", .autocast = Cast::to_float32};
  Tensor gradient(Grad g, Input<0> x) const { return g * cosh(x); }
};
struct Cosh : Real<Cosh, functor::Cosh> {
  static constexpr Traits traits{.name = "cosh", .autocast = Cast::to_float32};
  Tensor gradient(Grad g, Input<0> x) const { return g * sinh(x); }
};
struct Tanh : Unary<Tanh, functor::Tanh, full_floating> {
  static constexpr Traits traits{.name = "tanh"};
  Tensor gradient(Grad g, Output y) const { return g * (1 - y * y); }
  Tensor fast_gradient(Grad g, Output y) const {
    return detail::activation_gradient(functor::TanhGradient{}, std::move(g), y);
  }
};
/// The reciprocal of max(|x|, 1), a constant: scaled by it, squares do not overflow.
Tensor scale_of(const Tensor& x) {
  // The bound keeps the scale of an infinite x above 0; its square may overflow.
  const double most = x.dtype() == float64 ? 1e300 : is_half(x.dtype()) ? 3e4 : 1e30;
  return 1 / clamp(abs(x.detach()), 1, most);
}

struct Asinh : Real<Asinh, functor::Asinh> {
  static constexpr Traits traits{.name = "asinh"};
  /// 1 / √(x² + 1)
  Tensor gradient(Grad g, Input<0> x) const {
    const Tensor scale = scale_of(x), part = x * scale;
    return g * scale * rsqrt(part * part + scale * scale);
  }
};
struct Acosh : Real<Acosh, functor::Acosh> {
  static constexpr Traits traits{.name = "acosh"};
  /// 1 / √(x² - 1)
  Tensor gradient(Grad g, Input<0> x) const { return g * rsqrt(x - 1) * rsqrt(x + 1); }
};
struct Atanh : Real<Atanh, functor::Atanh> {
  static constexpr Traits traits{.name = "atanh"};
  Tensor gradient(Grad g, Input<0> x) const { return g / (1 - x * x); }
};

struct Atan2 : Binary<Atan2, functor::Atan2, full_floating, ResultType::floating> {
  static constexpr Traits traits{.name = "atan2", .autocast = Cast::widest};
  Gradients<2> gradient(Grad g, Input<0> y, Input<1> x, Needs needs) const {
    // x / (x² + y²), with x and y divided by the larger of them so that the squares neither underflow nor overflow.
    // That divisor cancels, so it is a constant. At the origin, where there is no derivative, both gradients become 0.
    const Tensor larger = maximum(abs(x.detach()), abs(y.detach())), is_origin = larger == 0;
    const Tensor size = where(isfinite(larger), larger + is_origin, detail::zero_of(larger) + 1);
    const Tensor across = x / size, up = y / size;
    const Tensor norm = across * across + up * up + is_origin;
    return {needs[0] ? g * (across / norm) / size : Tensor(), needs[1] ? -(g * (up / norm) / size) : Tensor()};
  }
};

}  // namespace

Tensor sin(const Tensor& x) { return detail::any_complex(x) ? complex_ops::sin(x) : apply(Sin{}, x); }
Tensor cos(const Tensor& x) { return detail::any_complex(x) ? complex_ops::cos(x) : apply(Cos{}, x); }
Tensor tan(const Tensor& x) { return apply(Tan{}, x); }
Tensor asin(const Tensor& x) { return apply(Asin{}, x); }
Tensor acos(const Tensor& x) { return apply(Acos{}, x); }
Tensor atan(const Tensor& x) { return apply(Atan{}, x); }
Tensor atan2(const Tensor& y, const Tensor& x) { return apply(Atan2{}, y, x); }
Tensor sinh(const Tensor& x) { return apply(Sinh{}, x); }
Tensor cosh(const Tensor& x) { return apply(Cosh{}, x); }
Tensor tanh(const Tensor& x) { return detail::any_complex(x) ? complex_ops::tanh(x) : apply(Tanh{}, x); }
Tensor asinh(const Tensor& x) { return apply(Asinh{}, x); }
Tensor acosh(const Tensor& x) { return apply(Acosh{}, x); }
Tensor atanh(const Tensor& x) { return apply(Atanh{}, x); }

Tensor sinc(const Tensor& x) {
  const Tensor y = detail::real_of("sinc", x), full = detail::in_full(y), angle = full * pi;
  // The sine of the distance to the nearest integer, which is exact; negative for an odd one.
  const Tensor nearest = round(full.detach()), distance = sin((full - nearest) * pi);
  const Tensor sine = addcmul(distance, distance, abs(nearest - round(nearest * 0.5) * 2), -2);
  if (!detail::mode().grad || !y.requires_grad()) {
    const Tensor is_zero = angle == 0;
    return cast(where(is_zero, 1, sine / where(is_zero, 1, angle)), y.dtype());
  }
  // Σ (-1)ᵏ a²ᵏ / (2k + 1)! for small angles, where the derivatives of sin(a) / a cancel.
  const Tensor is_small = abs(angle) < 0.5;
  const Tensor power = square(where(is_small, angle, 0)), divisor = where(is_small, 1, angle), one = ones_like(angle);
  Tensor series = one;
  for (int k = 7; k > 0; --k) series = addcmul(one, power, series, -1.0 / (2 * k * (2 * k + 1)));
  return cast(where(is_small, series, sine / divisor), y.dtype());
}

Tensor deg2rad(const Tensor& x) { return detail::real_of("deg2rad", x) * (pi / 180); }
Tensor rad2deg(const Tensor& x) { return detail::real_of("rad2deg", x) * (180 / pi); }

const Tensor& tanh_(const Tensor& x) { return detail::change("tanh_", x, tanh), x; }

}  // namespace minima
