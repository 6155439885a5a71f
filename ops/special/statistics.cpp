#include <minima/ops/special/statistics.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/copy/in_full.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/bitwise.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/special/special.h>
#include <minima/ops/special/statistics_functors.h>
#include <minima/ops/view/view.h>

#include <cmath>
#include <cstdint>
#include <numbers>

namespace minima {

namespace functor = pointwise::functor;

namespace {

template <class Self, class F>
using Real = Unary<Self, F, full_floating, ResultType::floating>;
template <class Self, class F>
using RealBinary = Binary<Self, F, full_floating, ResultType::floating>;

struct Entr : Real<Entr, functor::Entr> {
  static constexpr Traits traits{.name = "entr"};
  Tensor gradient(Grad g, Input<0> x) const { return -(g * (log(x) + 1)); }
};

struct Erfcx : Real<Erfcx, functor::Erfcx> {
  static constexpr Traits traits{.name = "erfcx"};
  Tensor gradient(Grad g, Input<0> given) const {
    // The difference cancels in half types.
    const Tensor x = detail::in_full(given);
    return g * (x * erfcx(x) * 2 - 2 * std::numbers::inv_sqrtpi);
  }
};

struct LogNdtr : Real<LogNdtr, functor::LogNdtr> {
  static constexpr Traits traits{.name = "log_ndtr"};
  Tensor gradient(Grad g, Input<0> x) const {
    return g * std::sqrt(2 * std::numbers::inv_pi) / erfcx(x * -std::sqrt(0.5));
  }
};

struct Xlog1py : RealBinary<Xlog1py, functor::Xlog1py> {
  static constexpr Traits traits{.name = "xlog1py"};
  Gradients<2> gradient(Grad g, Input<0> x, Input<1> given, Needs needs) const {
    const Tensor y = cast(given, g.dtype());
    return {needs[0] ? where((x == 0) & (y <= -1), 0, g * log1p(y)) : Tensor(),
            needs[1] ? g * (x / (y + 1)) : Tensor()};
  }
};

struct Zeta : RealBinary<Zeta, functor::Zeta> {
  static constexpr Traits traits{.name = "zeta"};
  Gradients<2> gradient(Grad g, Input<0> s, Input<1> q, Needs needs) const {
    if (needs[0]) throw AutogradError("zeta: there is no derivative by s; detach it");
    return {Tensor(), -(g * (s * zeta(s + 1, q)))};
  }
};

struct GammaDensity : RealBinary<GammaDensity, functor::GammaDensity> {
  static constexpr Traits traits{.name = "igamma"};
  Gradients<2> gradient(Grad g, Input<0> a, Input<1> x, Output y, Needs needs) const {
    if (needs[0]) throw AutogradError("igamma: there is no derivative by a; detach it");
    return {Tensor(), g * (y * ((a - 1) / x - 1))};
  }
};

struct IncompleteGamma : RealBinary<IncompleteGamma, functor::IncompleteGamma> {
  static constexpr Traits traits{.name = "igamma"};
  Gradients<2> gradient(Grad g, Input<0> a, Input<1> x, Needs needs) const {
    if (needs[0]) throw AutogradError(str(f.upper ? "igammac" : "igamma", ": there is no derivative by a; detach it"));
    const Tensor by_x = g * apply(GammaDensity{}, a, x);
    return {Tensor(), f.upper ? -by_x : by_x};
  }
};

}  // namespace

Tensor entr(const Tensor& x) { return apply(Entr{}, x); }
Tensor erfcx(const Tensor& x) { return apply(Erfcx{}, x); }
Tensor log_ndtr(const Tensor& x) { return apply(LogNdtr{}, x); }
Tensor xlog1py(const Tensor& x, const Tensor& y) { return apply(Xlog1py{}, x, y); }
Tensor zeta(const Tensor& s, const Tensor& q) { return apply(Zeta{}, s, q); }
Tensor igamma(const Tensor& a, const Tensor& x) { return apply(IncompleteGamma{}, a, x); }

Tensor igammac(const Tensor& a, const Tensor& x) {
  detail::check_defined("igammac", a);
  detail::check_defined("igammac", x, 1);
  broadcast(a.shape(), x.shape(), "igammac");
  IncompleteGamma op;
  op.f.upper = true;
  return apply(op, a, x);
}

Tensor mvlgamma(const Tensor& x, std::int64_t p) {
  constexpr std::int64_t most = 10000;
  detail::check_defined("mvlgamma", x);
  if (p < 1 || p > most) throw ValueError(str("mvlgamma: p must be between 1 and ", most, ", got ", p));
  const Tensor given = is_floating(x.dtype()) ? x : cast(x, DType::float32);
  const Tensor halves = arange(p, {.device = x.device()}).to(given.dtype()) * 0.5;
  const auto size = static_cast<double>(p);
  return sum(lgamma(unsqueeze(given, -1) - halves), {-1}) + size * (size - 1) / 4 * std::log(std::numbers::pi);
}

}  // namespace minima
