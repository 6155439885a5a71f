#include <minima/ops/complex/complex.h>
#include <minima/ops/complex/functors.h>
#include <minima/ops/complex/host.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/complex_ops.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/pointwise/trigonometry.h>

#include <complex>

// With y = f(z) holomorphic, the gradient by z is g · conj(f'(z)).

namespace minima {

namespace {

template <auto function> using ComplexFunctor = pointwise::functor::ComplexFunction<function>;

constexpr auto exp_of = [](auto z) { return std::exp(z); };
constexpr auto log_of = [](auto z) { return std::log(z); };
constexpr auto sqrt_of = [](auto z) { return std::sqrt(z); };
constexpr auto sin_of = [](auto z) { return std::sin(z); };
constexpr auto cos_of = [](auto z) { return std::cos(z); };
constexpr auto tanh_of = [](auto z) { return std::tanh(z); };
constexpr auto sigmoid_of = []<class Z>(Z z) { return Z(1) / (Z(1) + std::exp(-z)); };

struct ComplexExp : detail::ComplexUnary<ComplexExp, ComplexFunctor<exp_of>> {
  static constexpr Traits traits{.name = "exp"};
  Tensor gradient(Grad g, Output y) const { return g * conj(y); }
};

struct ComplexLog : detail::ComplexUnary<ComplexLog, ComplexFunctor<log_of>> {
  static constexpr Traits traits{.name = "log"};
  Tensor gradient(Grad g, Input<0> x) const { return g / conj(x); }
};

struct ComplexSqrt : detail::ComplexUnary<ComplexSqrt, ComplexFunctor<sqrt_of>> {
  static constexpr Traits traits{.name = "sqrt"};
  Tensor gradient(Grad g, Output y) const { return g / (2 * conj(y)); }
};

struct ComplexSin : detail::ComplexUnary<ComplexSin, ComplexFunctor<sin_of>> {
  static constexpr Traits traits{.name = "sin"};
  Tensor gradient(Grad g, Input<0> x) const { return g * conj(cos(x)); }
};

struct ComplexCos : detail::ComplexUnary<ComplexCos, ComplexFunctor<cos_of>> {
  static constexpr Traits traits{.name = "cos"};
  Tensor gradient(Grad g, Input<0> x) const { return -(g * conj(sin(x))); }
};

struct ComplexTanh : detail::ComplexUnary<ComplexTanh, ComplexFunctor<tanh_of>> {
  static constexpr Traits traits{.name = "tanh"};
  Tensor gradient(Grad g, Output y) const { return g * conj(1 - y * y); }
};

struct ComplexSigmoid : detail::ComplexUnary<ComplexSigmoid, ComplexFunctor<sigmoid_of>> {
  static constexpr Traits traits{.name = "sigmoid"};
  Tensor gradient(Grad g, Output y) const { return g * conj(y * (1 - y)); }
};

struct PowOf {
  static constexpr double flops = 40, cost = 80;
  template <class T> T operator()(T x, T y) const {
    using Standard = std::complex<typename T::Value>;
    if (y == T(0)) return T(1);
    if (x == T(0)) return T(0);
    return std::pow(Standard(x.re, x.im), Standard(y.re, y.im));
  }
};

struct ComplexPow : detail::ComplexBinary<ComplexPow, PowOf> {
  static constexpr Traits traits{.name = "pow"};
  // Where x or y is 0, the derivatives would be 0 · ∞.
  Gradients<2> gradient(Grad g, Input<0> x, Input<1> y, Output z, Needs needs) const {
    Gradients<2> gradients;
    if (needs[0]) gradients[0] = where(y == 0, 0, g * conj(y * pow(x, y - 1)));
    if (needs[1]) gradients[1] = where(x == 0, 0, g * conj(z * log(where(x == 0, 1, x))));
    return gradients;
  }
};

}  // namespace

namespace complex_ops {

Tensor exp(const Tensor& x) { return apply(ComplexExp{}, x); }
Tensor log(const Tensor& x) { return apply(ComplexLog{}, x); }
Tensor sqrt(const Tensor& x) { return apply(ComplexSqrt{}, x); }
Tensor sin(const Tensor& x) { return apply(ComplexSin{}, x); }
Tensor cos(const Tensor& x) { return apply(ComplexCos{}, x); }
Tensor tanh(const Tensor& x) { return apply(ComplexTanh{}, x); }
Tensor sigmoid(const Tensor& x) { return apply(ComplexSigmoid{}, x); }

Tensor pow(const Tensor& x, const Tensor& y) {
  detail::check_defined("pow", x);
  detail::check_defined("pow", y, 1);
  const Tensor* both[] = {&x, &y};
  const DType dtype = detail::promoted(both, 2);
  return apply(ComplexPow{}, cast(x, dtype), cast(y, dtype));
}

}  // namespace complex_ops

}  // namespace minima
