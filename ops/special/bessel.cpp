#include <minima/ops/special/bessel.h>

#include <minima/ops/copy/casts.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/special/bessel_functors.h>

namespace minima {

namespace functor = pointwise::functor;

namespace {

template <class Self, class F>
using Real = Unary<Self, F, full_floating, ResultType::floating>;

struct Bessel : Real<Bessel, functor::Bessel> {
  static constexpr Traits traits{.name = "bessel"};
  using Kind = functor::Bessel::Kind;

  /// Jₙ' = (Jₙ₋₁ - Jₙ₊₁) / 2, Kₙ' = -(Kₙ₋₁ + Kₙ₊₁) / 2 and jₙ' = (n·jₙ₋₁ - (n + 1)·jₙ₊₁) / (2n + 1), which have no
  /// division by x. Yₙ' is ∞ and Kₙ' -∞ where the function of order n + 1 is infinite, also if the others are.
  Tensor gradient(Grad g, Input<0> given) const {
    // The difference of scaled functions cancels in half types.
    const Tensor x = detail::in_full(given);
    const bool modified = f.kind == Kind::k || f.kind == Kind::scaled_k;
    const Tensor above = of(f.kind, f.order + 1, x);
    Tensor slope;
    if (f.order == 0) {
      slope = -above;
    } else {
      const Tensor below = of(f.kind, f.order - 1, x);
      const double n = f.order;
      if (f.kind == Kind::spherical_j) slope = (below * n - above * (n + 1)) / (2 * n + 1);
      else slope = (modified ? -(below + above) : below - above) * 0.5;
    }
    if (f.kind == Kind::scaled_k) slope = slope + of(f.kind, f.order, x);
    if (modified || f.kind == Kind::y) slope = where(isinf(above), -above, slope);
    return g * slope;
  }
  static Tensor of(Kind kind, int order, const Tensor& x) {
    Bessel op;
    op.f.kind = kind;
    op.f.order = order;
    return apply(op, x);
  }
};

struct Airy : Real<Airy, functor::Airy> {
  static constexpr Traits traits{.name = "airy_ai"};
  Tensor gradient(Grad g, Input<0> x) const {
    Airy other;
    other.f.derivative = !f.derivative;
    const Tensor y = apply(other, x);
    return f.derivative ? g * (x * y) : g * y;
  }
};

Tensor bessel(const char* name, functor::Bessel::Kind kind, int order, const Tensor& x) {
  detail::check_defined(name, x);
  return Bessel::of(kind, order, x);
}

struct BesselI : Real<BesselI, functor::BesselI> {
  static constexpr Traits traits{.name = "modified_bessel"};
  /// Iₙ' = (Iₙ₋₁ + Iₙ₊₁) / 2 with I₋₁ = I₁, which has no division by x.
  Tensor gradient(Grad g, Input<0> given) const {
    const Tensor x = f.scaled ? cast(given, DType::float64) : Tensor(given);
    const Tensor slope =
        f.order == 0 ? of(1, f.scaled, x) : (of(f.order - 1, f.scaled, x) + of(f.order + 1, f.scaled, x)) * 0.5;
    if (!f.scaled) return g * slope;
    // The scaled function's slope, less by that of e^|x|, cancels for large x, also in float32: there it is
    // -y/2x · (1 - (4n² - 1)/4|x| + …).
    const Tensor y = of(f.order, true, x), is_large = abs(x) > 1e5, inverse = reciprocal(where(is_large, x, 1));
    const Tensor far = y * inverse * -0.5 * (1 - abs(inverse) * (f.order * f.order - 0.25));
    return g * where(is_large, far, slope - sign(x) * y);
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

Tensor bessel_j0(const Tensor& x) { return bessel("bessel_j0", Bessel::Kind::j, 0, x); }
Tensor bessel_j1(const Tensor& x) { return bessel("bessel_j1", Bessel::Kind::j, 1, x); }
Tensor bessel_y0(const Tensor& x) { return bessel("bessel_y0", Bessel::Kind::y, 0, x); }
Tensor bessel_y1(const Tensor& x) { return bessel("bessel_y1", Bessel::Kind::y, 1, x); }
Tensor modified_bessel_k0(const Tensor& x) { return bessel("modified_bessel_k0", Bessel::Kind::k, 0, x); }
Tensor modified_bessel_k1(const Tensor& x) { return bessel("modified_bessel_k1", Bessel::Kind::k, 1, x); }
Tensor scaled_modified_bessel_k0(const Tensor& x) {
  return bessel("scaled_modified_bessel_k0", Bessel::Kind::scaled_k, 0, x);
}
Tensor scaled_modified_bessel_k1(const Tensor& x) {
  return bessel("scaled_modified_bessel_k1", Bessel::Kind::scaled_k, 1, x);
}

Tensor spherical_bessel_j0(const Tensor& x) { return bessel("spherical_bessel_j0", Bessel::Kind::spherical_j, 0, x); }
Tensor airy_ai(const Tensor& x) { return apply(Airy{}, x); }

Tensor i0(const Tensor& x) { return bessel_i("i0", 0, false, x); }
Tensor i1(const Tensor& x) { return bessel_i("i1", 1, false, x); }
Tensor i0e(const Tensor& x) { return bessel_i("i0e", 0, true, x); }
Tensor i1e(const Tensor& x) { return bessel_i("i1e", 1, true, x); }

}  // namespace minima
