#include <minima/ops/pointwise/exponential.h>

#include <minima/ops/creation/creation.h>
#include <minima/ops/loops/scalar_operand.h>
#include <minima/ops/loops/zero_of.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/functors/exponential.h>

namespace minima {

namespace functor = pointwise::functor;

namespace {

/// A function of real numbers: integers compute in float32.
template <class Self, class F>
using Real = Unary<Self, F, full_floating, ResultType::floating>;

struct Exp : Real<Exp, functor::Exp> {
  static constexpr Traits traits{.name = "exp", .autocast = Cast::to_float32};
  Tensor gradient(Grad g, Output y) const { return g * y; }
};
struct Expm1 : Real<Expm1, functor::Expm1> {
  static constexpr Traits traits{.name = "expm1", .autocast = Cast::to_float32};
  Tensor gradient(Grad g, Output y) const { return g * (y + 1); }
};
struct Log : Real<Log, functor::Log> {
  static constexpr Traits traits{.name = "log", .autocast = Cast::to_float32};
  Tensor gradient(Grad g, Input<0> x) const { return g / x; }
};
struct Log1p : Real<Log1p, functor::Log1p> {
  static constexpr Traits traits{.name = "log1p", .autocast = Cast::to_float32};
  Tensor gradient(Grad g, Input<0> x) const { return g / (x + 1); }
};
struct Sqrt : Real<Sqrt, functor::Sqrt> {
  static constexpr Traits traits{.name = "sqrt"};
  Tensor gradient(Grad g, Output y) const { return g / (y * 2); }
};
struct Rsqrt : Real<Rsqrt, functor::Rsqrt> {
  static constexpr Traits traits{.name = "rsqrt", .autocast = Cast::to_float32};
  Tensor gradient(Grad g, Output y) const { return g * (y * y * y) * -0.5; }
};
struct Erf : Real<Erf, functor::Erf> {
  static constexpr Traits traits{.name = "erf"};
  Tensor gradient(Grad g, Input<0> x) const {
    constexpr double two_over_root_pi = 1.1283791670955126;
    return g * (exp(-(x * x)) * two_over_root_pi);
  }
};
struct Sin : Real<Sin, functor::Sin> {
  static constexpr Traits traits{.name = "sin"};
  Tensor gradient(Grad g, Input<0> x) const { return g * cos(x); }
};
struct Cos : Real<Cos, functor::Cos> {
  static constexpr Traits traits{.name = "cos"};
  Tensor gradient(Grad g, Input<0> x) const { return -(g * sin(x)); }
};
struct Abs : Unary<Abs, functor::Abs> {
  static constexpr Traits traits{.name = "abs"};
  Tensor gradient(Grad g, Input<0> x) const { return g * sign(x); }
};
struct Sign : Unary<Sign, functor::Sign> {
  static constexpr Traits traits{.name = "sign"};
  Tensor gradient(Grad g) const { return zeros_like(g); }
};
struct Square : Unary<Square, functor::Square> {
  static constexpr Traits traits{.name = "square", .autocast = Cast::to_float32};
  Tensor gradient(Grad g, Input<0> x) const { return g * (x * 2); }
};

struct Pow : Binary<Pow, functor::Pow, full_floating, ResultType::floating> {
  static constexpr Traits traits{.name = "pow", .autocast = Cast::to_float32};
  Gradients<2> gradient(Grad g, Input<0> x, Input<1> y, OutputAt<0> z, Needs needs) const {
    Gradients<2> result;
    if (needs[0]) result[0] = where(y == 0, detail::zero_of(g), g * (y * pow(x, y - 1)));
    if (needs[1]) result[1] = where(logical_and(x == 0, y >= 0), detail::zero_of(g), g * (z * log(x)));
    return result;
  }
};
struct PowScalar : Real<PowScalar, functor::PowScalar> {
  static constexpr Traits traits{.name = "pow", .autocast = Cast::to_float32};
  Tensor gradient(Grad g, Input<0> x) const {
    const auto y = f.value.to<double>();
    return y == 0 ? zeros_like(g) : g * (pow(x, y - 1) * y);
  }
};

}  // namespace

Tensor exp(const Tensor& x) { return apply(Exp{}, x); }
Tensor expm1(const Tensor& x) { return apply(Expm1{}, x); }
Tensor log(const Tensor& x) { return apply(Log{}, x); }
Tensor log1p(const Tensor& x) { return apply(Log1p{}, x); }
Tensor sqrt(const Tensor& x) { return apply(Sqrt{}, x); }
Tensor rsqrt(const Tensor& x) { return apply(Rsqrt{}, x); }
Tensor erf(const Tensor& x) { return apply(Erf{}, x); }
Tensor sin(const Tensor& x) { return apply(Sin{}, x); }
Tensor cos(const Tensor& x) { return apply(Cos{}, x); }
Tensor abs(const Tensor& x) { return apply(Abs{}, x); }
Tensor sign(const Tensor& x) { return apply(Sign{}, x); }
Tensor square(const Tensor& x) { return apply(Square{}, x); }
Tensor pow(const Tensor& x, const Tensor& y) { return apply(Pow{}, x, y); }

Tensor pow(const Tensor& x, Scalar y) {
  if (y.to<double>() == 2 && x.defined() && is_floating(x.dtype())) return square(x);
  PowScalar op;
  op.f.value = y;
  return apply(op, x);
}

Tensor pow(Scalar x, const Tensor& y) { return pow(detail::scalar_operand("pow", x, y), y); }

}  // namespace minima
