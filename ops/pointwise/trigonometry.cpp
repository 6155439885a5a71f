#include <minima/ops/pointwise/trigonometry.h>

#include <minima/ops/loops/zero_of.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/pointwise/functors/trigonometry.h>

namespace minima {

namespace functor = pointwise::functor;

namespace {

template <class Self, class F>
using Real = Unary<Self, F, full_floating, ResultType::floating>;

constexpr double ln_2 = 0.69314718055994531, ln_10 = 2.302585092994045684;

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
struct Asinh : Real<Asinh, functor::Asinh> {
  static constexpr Traits traits{.name = "asinh"};
  Tensor gradient(Grad g, Input<0> x) const { return g * rsqrt(x * x + 1); }
};
struct Acosh : Real<Acosh, functor::Acosh> {
  static constexpr Traits traits{.name = "acosh"};
  Tensor gradient(Grad g, Input<0> x) const { return g * rsqrt(x * x - 1); }
};
struct Atanh : Real<Atanh, functor::Atanh> {
  static constexpr Traits traits{.name = "atanh"};
  Tensor gradient(Grad g, Input<0> x) const { return g / (1 - x * x); }
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
struct Reciprocal : Real<Reciprocal, functor::Reciprocal> {
  static constexpr Traits traits{.name = "reciprocal", .autocast = Cast::to_float32};
  Tensor gradient(Grad g, Output y) const { return -(g * (y * y)); }
};
struct Erfc : Real<Erfc, functor::Erfc> {
  static constexpr Traits traits{.name = "erfc"};
  Tensor gradient(Grad g, Input<0> x) const {
    constexpr double two_over_root_pi = 1.1283791670955126;
    return g * (exp(-(x * x)) * -two_over_root_pi);
  }
};

struct Atan2 : Binary<Atan2, functor::Atan2, full_floating, ResultType::floating> {
  static constexpr Traits traits{.name = "atan2", .autocast = Cast::widest};
  Gradients<2> gradient(Grad g, Input<0> y, Input<1> x, Needs needs) const {
    // x / (x² + y²) by x and y divided by the larger of them, whose squares neither underflow nor overflow. It stands
    // for a constant, since it cancels. At the origin, where there is no derivative, both come out as 0.
    const Tensor larger = maximum(abs(x.detach()), abs(y.detach())), is_origin = larger == 0;
    const Tensor size = where(isfinite(larger), larger + is_origin, detail::zero_of(larger) + 1);
    const Tensor across = x / size, up = y / size;
    const Tensor norm = across * across + up * up + is_origin;
    return {needs[0] ? g * (across / norm) / size : Tensor(), needs[1] ? -(g * (up / norm) / size) : Tensor()};
  }
};
struct LogAddExp : Binary<LogAddExp, functor::LogAddExp, full_floating, ResultType::floating> {
  static constexpr Traits traits{.name = "logaddexp"};
  Gradients<2> gradient(Grad g, Input<0> a, Input<1> b, Needs needs) const {
    return {needs[0] ? g * sigmoid(a - b) : Tensor(), needs[1] ? g * sigmoid(b - a) : Tensor()};
  }
};

}  // namespace

Tensor tan(const Tensor& x) { return apply(Tan{}, x); }
Tensor asin(const Tensor& x) { return apply(Asin{}, x); }
Tensor acos(const Tensor& x) { return apply(Acos{}, x); }
Tensor atan(const Tensor& x) { return apply(Atan{}, x); }
Tensor atan2(const Tensor& y, const Tensor& x) { return apply(Atan2{}, y, x); }
Tensor sinh(const Tensor& x) { return apply(Sinh{}, x); }
Tensor cosh(const Tensor& x) { return apply(Cosh{}, x); }
Tensor asinh(const Tensor& x) { return apply(Asinh{}, x); }
Tensor acosh(const Tensor& x) { return apply(Acosh{}, x); }
Tensor atanh(const Tensor& x) { return apply(Atanh{}, x); }
Tensor exp2(const Tensor& x) { return apply(Exp2{}, x); }
Tensor log2(const Tensor& x) { return apply(Log2{}, x); }
Tensor log10(const Tensor& x) { return apply(Log10{}, x); }
Tensor reciprocal(const Tensor& x) { return apply(Reciprocal{}, x); }
Tensor erfc(const Tensor& x) { return apply(Erfc{}, x); }
Tensor logaddexp(const Tensor& a, const Tensor& b) { return apply(LogAddExp{}, a, b); }

}  // namespace minima
