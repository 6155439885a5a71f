#include <minima/ops/special/gamma.h>

#include <minima/ops/copy/casts.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/special/gamma_functors.h>
#include <minima/ops/view/view.h>

#include <cmath>
#include <cstdint>
#include <numbers>

namespace minima {

namespace functor = pointwise::functor;

namespace {

/// A function of real numbers: integers compute in float32.
template <class Self, class F>
using Real = Unary<Self, F, full_floating, ResultType::floating>;
template <class Self, class F>
using RealBinary = Binary<Self, F, full_floating, ResultType::floating>;

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
  const Tensor input = detail::autocast(Cast::to_float32, x);
  const detail::WithoutAutocast guard;
  const DType dtype = is_floating(input.dtype()) ? input.dtype() : DType::float32;
  const Tensor given = detail::in_full(cast(input, dtype));
  const Tensor halves = arange(p, {.device = x.device()}).to(given.dtype()) * 0.5;
  const auto size = static_cast<double>(p);
  const double constant = size * (size - 1) / 4 * std::log(std::numbers::pi);
  return cast(sum(lgamma(unsqueeze(given, -1) - halves), {-1}) + constant, dtype);
}

}  // namespace minima
