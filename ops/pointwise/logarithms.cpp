#include <minima/ops/pointwise/exponential.h>

#include <minima/ops/copy/casts.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/bitwise.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/composed.h>
#include <minima/ops/pointwise/functors/exponential.h>
#include <minima/ops/pointwise/rounding.h>

#include <numbers>
#include <utility>

namespace minima {

namespace {

namespace functor = pointwise::functor;

constexpr double ln_2 = std::numbers::ln2;

/// in_common for functions of two real numbers: integers give float32.
template <class F>
Tensor in_common_real(const char* op, const F& f, const Tensor& a, const Tensor& b) {
  detail::check_all_defined(op, a, b);
  broadcast(a.shape(), b.shape(), op);
  const Tensor* const both[] = {&a, &b};
  const DType dtype = detail::promoted(both, 2);
  if (is_complex(dtype)) throw DTypeError(str(op, ": needs real tensors, got ", a, " and ", b));
  const detail::WithoutAutocast guard;
  return is_floating(dtype) ? detail::in_common(f, a, b) : f(cast(a, DType::float32), cast(b, DType::float32));
}

struct Xlogy : Binary<Xlogy, functor::Xlogy, full_floating, ResultType::floating> {
  static constexpr Traits traits{.name = "xlogy"};
  Gradients<2> gradient(Grad g, Input<0> x, Input<1> given, Needs needs) const {
    const Tensor y = cast(given, g.dtype()), safe = where(logical_and(x == 0, y <= 0), 1, y);
    return {needs[0] ? g * log(safe) : Tensor(), needs[1] ? g * (x / safe) : Tensor()};
  }
};

struct Xlog1py : Binary<Xlog1py, functor::Xlog1py, full_floating, ResultType::floating> {
  static constexpr Traits traits{.name = "xlog1py"};
  Gradients<2> gradient(Grad g, Input<0> x, Input<1> given, Needs needs) const {
    const Tensor y = cast(given, g.dtype());
    return {needs[0] ? where((x == 0) & (y <= -1), 0, g * log1p(y)) : Tensor(),
            needs[1] ? g * (x / (y + 1)) : Tensor()};
  }
};

struct Entr : Unary<Entr, functor::Entr, full_floating, ResultType::floating> {
  static constexpr Traits traits{.name = "entr"};
  Tensor gradient(Grad g, Input<0> x) const { return -(g * (log(x) + 1)); }
};

struct FrexpExponent : Unary<FrexpExponent, functor::FrexpExponent, full_floating> {
  static constexpr Traits traits{.name = "frexp"};
};

struct FrexpMantissa : Unary<FrexpMantissa, functor::FrexpMantissa, full_floating> {
  static constexpr Traits traits{.name = "frexp"};
  Tensor gradient(Grad g, Input<0> x) const { return ldexp(g, -apply(FrexpExponent{}, x)); }
};

}  // namespace

Tensor xlogy(const Tensor& x, const Tensor& y) {
  detail::check_all_defined("xlogy", x, y);
  return apply(Xlogy{}, x, y);
}

Tensor xlog1py(const Tensor& x, const Tensor& y) { return apply(Xlog1py{}, x, y); }
Tensor entr(const Tensor& x) { return apply(Entr{}, x); }

Tensor logit(const Tensor& x, double eps) {
  const Tensor p = detail::real_of("logit", x), wide = detail::in_full(p);
  const detail::WithoutAutocast guard;
  const Tensor inside = eps < 0      ? wide
                        : eps <= 0.5 ? clamp(wide, eps, 1 - eps)
                                     : where(wide < eps, eps, where(wide > 1 - eps, 1 - eps, wide));
  return cast(log(inside) - log1p(-inside), p.dtype());
}

Tensor logaddexp2(const Tensor& a, const Tensor& b) {
  detail::check_all_defined("logaddexp2", a, b);
  detail::check_all_floating("logaddexp2", a, b);
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

MantissaExponent frexp(const Tensor& x) {
  Tensor mantissa = apply(FrexpMantissa{}, x);
  return {std::move(mantissa), cast(apply(FrexpExponent{}, x), DType::int32)};
}

}  // namespace minima
