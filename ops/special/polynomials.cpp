#include <minima/ops/special/polynomials.h>

#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/special/polynomial_functors.h>

namespace minima {

namespace functor = pointwise::functor;
using Family = functor::PolynomialFamily;

namespace {

constexpr const char* names[] = {
    "chebyshev_polynomial_t",         "chebyshev_polynomial_u",         "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",         "shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v", "shifted_chebyshev_polynomial_w", "hermite_polynomial_h",
    "hermite_polynomial_he",          "laguerre_polynomial_l",          "legendre_polynomial_p"};

template <Family family>
struct Polynomial : Binary<Polynomial<family>, functor::OrthogonalPolynomial, full_floating, ResultType::floating> {
  static constexpr Traits traits{.name = names[static_cast<int>(family)]};

  Gradients<2> gradient(Grad g, Input<0> x, Input<1> n, Needs needs) const {
    if (!needs[0]) return {};
    if (this->f.derivative == functor::OrthogonalPolynomial::most_derivatives)
      throw AutogradError(str(traits.name, ": has ", this->f.derivative, " derivatives, and one more is needed"));
    return {g * of(x, n, this->f.derivative + 1), Tensor()};
  }
  static Tensor of(const Tensor& x, const Tensor& n, int derivative) {
    Polynomial op;
    op.f.family = family;
    op.f.derivative = derivative;
    return apply(op, x, n);
  }
};

template <Family family>
Tensor polynomial(const Tensor& x, const Tensor& n) {
  return Polynomial<family>::of(x, n, 0);
}

}  // namespace

Tensor chebyshev_polynomial_t(const Tensor& x, const Tensor& n) { return polynomial<Family::chebyshev_t>(x, n); }
Tensor chebyshev_polynomial_u(const Tensor& x, const Tensor& n) { return polynomial<Family::chebyshev_u>(x, n); }
Tensor chebyshev_polynomial_v(const Tensor& x, const Tensor& n) { return polynomial<Family::chebyshev_v>(x, n); }
Tensor chebyshev_polynomial_w(const Tensor& x, const Tensor& n) { return polynomial<Family::chebyshev_w>(x, n); }
Tensor shifted_chebyshev_polynomial_t(const Tensor& x, const Tensor& n) {
  return polynomial<Family::shifted_chebyshev_t>(x, n);
}
Tensor shifted_chebyshev_polynomial_u(const Tensor& x, const Tensor& n) {
  return polynomial<Family::shifted_chebyshev_u>(x, n);
}
Tensor shifted_chebyshev_polynomial_v(const Tensor& x, const Tensor& n) {
  return polynomial<Family::shifted_chebyshev_v>(x, n);
}
Tensor shifted_chebyshev_polynomial_w(const Tensor& x, const Tensor& n) {
  return polynomial<Family::shifted_chebyshev_w>(x, n);
}
Tensor hermite_polynomial_h(const Tensor& x, const Tensor& n) { return polynomial<Family::hermite_h>(x, n); }
Tensor hermite_polynomial_he(const Tensor& x, const Tensor& n) { return polynomial<Family::hermite_he>(x, n); }
Tensor laguerre_polynomial_l(const Tensor& x, const Tensor& n) { return polynomial<Family::laguerre_l>(x, n); }
Tensor legendre_polynomial_p(const Tensor& x, const Tensor& n) { return polynomial<Family::legendre_p>(x, n); }

}  // namespace minima
