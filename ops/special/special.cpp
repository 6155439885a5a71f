#include <minima/ops/special/special.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/special/bessel.h>
#include <minima/ops/special/special_functors.h>

#include <cstdint>

namespace minima {

namespace functor = pointwise::functor;

namespace {

/// A function of real numbers: integers compute in float32.
template <class Self, class F>
using Real = Unary<Self, F, full_floating, ResultType::floating>;
template <class Self, class F>
using RealBinary = Binary<Self, F, full_floating, ResultType::floating>;

struct Hypot : RealBinary<Hypot, functor::Hypot> {
  static constexpr Traits traits{.name = "hypot"};
  Gradients<2> gradient(Grad g, Input<0> a, Input<1> b, Output y, Needs needs) const {
    return {needs[0] ? g * (a / y) : Tensor(), needs[1] ? g * (b / y) : Tensor()};
  }
};

struct CopySign : RealBinary<CopySign, functor::CopySign> {
  static constexpr Traits traits{.name = "copysign"};
  Gradients<2> gradient(Grad g, Input<0> a, Output y, Needs needs) const {
    return {needs[0] ? g * (sign(a) * sign(y)) : Tensor(), needs[1] ? zeros_like(g) : Tensor()};
  }
};

struct SignBit : Unary<SignBit, functor::SignBit, all_types, ResultType::boolean> {
  static constexpr Traits traits{.name = "signbit"};
};

struct NextAfter : Binary<NextAfter, functor::NextAfter, full_floating> {
  static constexpr Traits traits{.name = "nextafter"};
  // The loop would compute half types in float32, whose neighbours are others.
  TensorSpec result(const Tensor& a, const Tensor& b) const {
    for (const Tensor* x : {&a, &b})
      if (x->dtype() != DType::float32 && x->dtype() != DType::float64)
        throw DTypeError(str("nextafter: needs float32 or float64, got ", *x, "; convert it with to()"));
    return Binary::result(a, b);
  }
};

struct Erfinv : Real<Erfinv, functor::Erfinv> {
  static constexpr Traits traits{.name = "erfinv", .autocast = Cast::to_float32};
  Tensor gradient(Grad g, Output y) const { return g * (exp(square(y)) * 0.88622692545275801); }
};

struct Polygamma : Real<Polygamma, functor::Polygamma> {
  static constexpr Traits traits{.name = "polygamma"};
  Tensor gradient(Grad g, Input<0> x) const { return g * polygamma(f.n + 1, x); }
};

struct Digamma : Real<Digamma, functor::Digamma> {
  static constexpr Traits traits{.name = "digamma"};
  Tensor gradient(Grad g, Input<0> x) const { return g * polygamma(1, x); }
};

struct Lgamma : Real<Lgamma, functor::Lgamma> {
  static constexpr Traits traits{.name = "lgamma"};
  Tensor gradient(Grad g, Input<0> x) const { return g * digamma(x); }
};

struct BesselI : Real<BesselI, functor::BesselI> {
  static constexpr Traits traits{.name = "modified_bessel"};
  /// Iₙ' = (Iₙ₋₁ + Iₙ₊₁) / 2 with I₋₁ = I₁, which has no division by x.
  Tensor gradient(Grad g, Input<0> given) const {
    // The difference of scaled functions cancels in half types.
    const Tensor x = f.scaled && is_half(Tensor(given).dtype()) ? cast(given, DType::float32) : Tensor(given);
    const Tensor slope =
        f.order == 0 ? of(1, f.scaled, x) : (of(f.order - 1, f.scaled, x) + of(f.order + 1, f.scaled, x)) * 0.5;
    return g * (f.scaled ? slope - sign(x) * of(f.order, true, x) : slope);
  }
  static Tensor of(int order, bool scaled, const Tensor& x) {
    BesselI op;
    op.f.order = order;
    op.f.scaled = scaled;
    return apply(op, x);
  }
};

Tensor bessel_i(const char* name, int order, bool scaled, const Tensor& x) {
  detail::check_defined(name, x);
  return BesselI::of(order, scaled, x);
}

}  // namespace

Tensor hypot(const Tensor& a, const Tensor& b) { return apply(Hypot{}, a, b); }
Tensor copysign(const Tensor& a, const Tensor& b) { return apply(CopySign{}, a, b); }
Tensor signbit(const Tensor& x) { return apply(SignBit{}, x); }
Tensor nextafter(const Tensor& a, const Tensor& b) { return apply(NextAfter{}, a, b); }
Tensor erfinv(const Tensor& x) { return apply(Erfinv{}, x); }
Tensor lgamma(const Tensor& x) { return apply(Lgamma{}, x); }
Tensor digamma(const Tensor& x) { return apply(Digamma{}, x); }

Tensor polygamma(std::int64_t n, const Tensor& x) {
  constexpr std::int64_t most = 100;
  if (n < 0 || n > most) throw ValueError(str("polygamma: n must be between 0 and ", most, ", got ", n));
  if (n == 0) {
    detail::check_defined("polygamma", x);
    return digamma(x);
  }
  Polygamma op;
  op.f.n = static_cast<int>(n);
  return apply(op, x);
}

Tensor i0(const Tensor& x) { return bessel_i("i0", 0, false, x); }
Tensor i1(const Tensor& x) { return bessel_i("i1", 1, false, x); }
Tensor i0e(const Tensor& x) { return bessel_i("i0e", 0, true, x); }
Tensor i1e(const Tensor& x) { return bessel_i("i1e", 1, true, x); }

}  // namespace minima
