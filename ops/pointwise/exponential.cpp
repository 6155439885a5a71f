#include <minima/ops/pointwise/exponential.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/core/complex_ops.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/loops/scalars.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/composed.h>
#include <minima/ops/pointwise/functors/exponential.h>

namespace minima {

namespace functor = pointwise::functor;

namespace {

/// A function of real numbers: integers compute in float32.
template <class Self, class F>
using Real = Unary<Self, F, full_floating, ResultType::floating>;

constexpr double ln_2 = 0.69314718055994531, ln_10 = 2.302585092994045684;

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
struct Exp2 : Real<Exp2, functor::Exp2> {
  static constexpr Traits traits{.name = "exp2"};
  Tensor gradient(Grad g, Output y) const { return g * (y * ln_2); }
};
struct Log2 : Real<Log2, functor::Log2> {
  static constexpr Traits traits{.name = "log2", .autocast = Cast::to_float32};
  Tensor gradient(Grad g, Input<0> x) const { return g / (x * ln_2); }
};
struct Log10 : Real<Log10, functor::Log10> {
  static constexpr Traits traits{.name = "log10", .autocast = Cast::to_float32};
  Tensor gradient(Grad g, Input<0> x) const { return g / (x * ln_10); }
};
struct Erf : Real<Erf, functor::Erf> {
  static constexpr Traits traits{.name = "erf"};
  Tensor gradient(Grad g, Input<0> x) const {
    constexpr double two_over_root_pi = 1.1283791670955126;
    return g * (exp(-(x * x)) * two_over_root_pi);
  }
};
struct Erfc : Real<Erfc, functor::Erfc> {
  static constexpr Traits traits{.name = "erfc"};
  Tensor gradient(Grad g, Input<0> x) const {
    constexpr double two_over_root_pi = 1.1283791670955126;
    return g * (exp(-(x * x)) * -two_over_root_pi);
  }
};

struct Pow : Binary<Pow, functor::Pow, full_floating, ResultType::floating> {
  static constexpr Traits traits{.name = "pow", .autocast = Cast::to_float32};
  Gradients<2> gradient(Grad g, Input<0> base, Input<1> exponent, OutputAt<0> z, Needs needs) const {
    const Tensor x = cast(base, g.dtype()), y = cast(exponent, g.dtype());
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
struct LogAddExp : Binary<LogAddExp, functor::LogAddExp, full_floating, ResultType::floating> {
  static constexpr Traits traits{.name = "logaddexp"};
  Gradients<2> gradient(Grad g, Input<0> a, Input<1> b, Needs needs) const {
    return {needs[0] ? g * sigmoid(a - b) : Tensor(), needs[1] ? g * sigmoid(b - a) : Tensor()};
  }
};

}  // namespace

Tensor exp(const Tensor& x) { return detail::any_complex(x) ? complex_ops::exp(x) : apply(Exp{}, x); }
Tensor expm1(const Tensor& x) { return apply(Expm1{}, x); }
Tensor log(const Tensor& x) { return detail::any_complex(x) ? complex_ops::log(x) : apply(Log{}, x); }
Tensor log1p(const Tensor& x) { return apply(Log1p{}, x); }
Tensor sqrt(const Tensor& x) { return detail::any_complex(x) ? complex_ops::sqrt(x) : apply(Sqrt{}, x); }
Tensor rsqrt(const Tensor& x) { return apply(Rsqrt{}, x); }
Tensor exp2(const Tensor& x) { return apply(Exp2{}, x); }
Tensor log2(const Tensor& x) { return apply(Log2{}, x); }
Tensor log10(const Tensor& x) { return apply(Log10{}, x); }
Tensor erf(const Tensor& x) { return apply(Erf{}, x); }
Tensor erfc(const Tensor& x) { return apply(Erfc{}, x); }
Tensor logaddexp(const Tensor& a, const Tensor& b) { return apply(LogAddExp{}, a, b); }
Tensor pow(const Tensor& x, const Tensor& y) {
  return detail::any_complex(x, y) ? complex_ops::pow(x, y) : apply(Pow{}, x, y);
}

Tensor pow(const Tensor& x, Scalar y) {
  if (y.to<double>() == 2 && x.defined() && is_differentiable(x.dtype())) return square(x);
  if (detail::any_complex(x)) return complex_ops::pow(x, complex_ops::number(x, y));
  PowScalar op;
  op.f.value = y;
  return apply(op, x);
}

Tensor pow(Scalar x, const Tensor& y) {
  if (detail::any_complex(y)) return complex_ops::pow(complex_ops::number(y, x), y);
  return pow(detail::scalar_operand("pow", x, y), y);
}

const Tensor& exp_(const Tensor& x) { return detail::change("exp_", x, exp), x; }
const Tensor& sqrt_(const Tensor& x) { return detail::change("sqrt_", x, sqrt), x; }

}  // namespace minima
