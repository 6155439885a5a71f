#pragma once

#include <minima/ops/loops/math/math.h>

#include <cstdint>
#include <limits>

namespace minima::pointwise::functor {

enum class PolynomialFamily : std::uint8_t {
  chebyshev_t,
  chebyshev_u,
  chebyshev_v,
  chebyshev_w,
  shifted_chebyshev_t,
  shifted_chebyshev_u,
  shifted_chebyshev_v,
  shifted_chebyshev_w,
  hermite_h,
  hermite_he,
  laguerre_l,
  legendre_p,
};

/// A derivative of the polynomial of degree n, by pₖ₊₁ = (a·x + b)·pₖ - c·pₖ₋₁ and what differentiating that gives:
/// pₖ₊₁⁽ᵈ⁾ = (a·x + b)·pₖ⁽ᵈ⁾ + d·a·pₖ⁽ᵈ⁻¹⁾ - c·pₖ₋₁⁽ᵈ⁾.
struct OrthogonalPolynomial {
  static constexpr double cost = 30, flops = 60;
  static constexpr int most_derivatives = 8, most_degree = 100000;
  PolynomialFamily family = PolynomialFamily::chebyshev_t;
  int derivative = 0;

  template <class T> MINIMA_HD T operator()(T x, T n) const {
    return static_cast<T>(value(static_cast<double>(x), static_cast<double>(n)));
  }

 private:
  struct Step {
    double slope, offset, back;  ///< a, b, c
  };
  MINIMA_HD Step step(int k) const {
    switch (family) {
      case PolynomialFamily::hermite_h: return {2, 0, 2.0 * k};
      case PolynomialFamily::hermite_he: return {1, 0, 1.0 * k};
      case PolynomialFamily::laguerre_l:
        return {-1.0 / (k + 1), (2.0 * k + 1) / (k + 1), static_cast<double>(k) / (k + 1)};
      case PolynomialFamily::legendre_p: return {(2.0 * k + 1) / (k + 1), 0, static_cast<double>(k) / (k + 1)};
      default: break;
    }
    const bool shifted = family >= PolynomialFamily::shifted_chebyshev_t;
    Step result = shifted ? Step{4, -2, 1} : Step{2, 0, 1};
    if (k == 0) {  // p₁ tells the kinds apart
      switch (family) {
        case PolynomialFamily::chebyshev_t:
        case PolynomialFamily::shifted_chebyshev_t: result.slope /= 2, result.offset /= 2; break;
        case PolynomialFamily::chebyshev_v:
        case PolynomialFamily::shifted_chebyshev_v: result.offset -= 1; break;
        case PolynomialFamily::chebyshev_w:
        case PolynomialFamily::shifted_chebyshev_w: result.offset += 1; break;
        default: break;
      }
    }
    return result;
  }

  MINIMA_HD double value(double x, double n) const {
    if (n != n || n > most_degree) return std::numeric_limits<double>::quiet_NaN();
    if (n <= -1) return 0;
    double before[most_derivatives + 1] = {}, here[most_derivatives + 1] = {1};
    const int degree = static_cast<int>(n);
    for (int k = 0; k < degree; ++k) {
      const Step s = step(k);
      for (int d = derivative; d >= 0; --d) {
        const double lower = d > 0 ? d * s.slope * here[d - 1] : 0;
        const double next = (s.slope * x + s.offset) * here[d] + lower - s.back * before[d];
        before[d] = here[d];
        here[d] = next;
      }
    }
    return here[derivative];
  }
};

}  // namespace minima::pointwise::functor
