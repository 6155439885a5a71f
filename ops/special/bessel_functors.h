#pragma once

#include <minima/ops/loops/math/math.h>

#include <cmath>
#include <cstdint>
#include <limits>

// Bessel and Airy functions of real arguments, all but I computed in double: by series, recurrences and integrals
// instead of tables of approximations. Products are fused with the sums after them by name, so that every loop rounds
// alike.

namespace minima::pointwise::functor {

namespace bessel {

inline constexpr double pi = 3.14159265358979324, euler = 0.577215664901532861;
inline constexpr double infinity = std::numeric_limits<double>::infinity();

struct Values {
  double j;       ///< Jₙ
  double y0, y1;  ///< Y₀, Y₁
};

/// Miller's algorithm for 10⁻⁸ ≤ x ≤ 25: Jₖ₋₁ = 2k/x·Jₖ - Jₖ₊₁ downwards from where J vanishes, scaled so that
/// J₀ + 2·ΣJ₂ₖ = 1. Y by Neumann's series of the same values (Abramowitz, Stegun 9.1.88).
MINIMA_HD inline Values by_recurrence(int n, double x) {
  const int top = 2 * (static_cast<int>(11 + 0.875 * x) + n);
  double above = 0, here = 1e-300, j = 0, j1 = 0, norm = 0, even = 0, odd = 0;
  for (int k = top; k > 0; --k) {
    const int m = k / 2;
    const double sign = m % 2 == 0 ? 1 : -1;
    if (k % 2 == 0) norm += 2 * here, even += sign * here / m;
    else if (m > 0) odd += sign * k * here / (m * (m + 1.0));
    if (k == n) j = here;
    if (k == 1) j1 = here;
    const double below = std::fma(2 * k / x, here, -above);
    above = here;
    here = below;
  }
  const double scale = 1 / (norm + here), logarithm = std::log(x / 2) + euler;
  const double y0 = 2 / pi * std::fma(logarithm, here, -2 * even) * scale;
  const double y1 = 2 / pi * (std::fma(logarithm - 1, j1, -here / x) - odd) * scale;
  return {(n == 0 ? here : j) * scale, y0, y1};
}

struct Wave {
  double j, y;
};

/// Hankel's expansion of order n = 0 or 1 for x > 25.
MINIMA_HD inline Wave far_out(int n, double x) {
  double term = 1, p = 1, q = 0;
  for (int k = 1; k < 50; ++k) {
    const double odd = 2 * k - 1, next = term * (4 * n * n - odd * odd) / (8 * k * x);
    if (!(std::fabs(next) < std::fabs(term)) || std::fabs(next) < 1e-18) break;
    term = next;
    if (k % 2 != 0) q += k % 4 == 1 ? term : -term;
    else p += k % 4 == 0 ? term : -term;
  }
  const double c = std::cos(x), s = std::sin(x), size = 1 / (1.77245385090551603 * std::sqrt(x));
  const double cosine = n == 0 ? s + c : s - c, sine = n == 0 ? s - c : -(s + c);  // of x - (2n + 1)π/4, times √2
  return {size * std::fma(p, cosine, -(q * sine)), size * std::fma(p, sine, q * cosine)};
}

/// Jₙ for x ≥ 0.
MINIMA_HD inline double first_kind(int n, double x) {
  if (x == infinity) return 0;
  if (x < 1e-8) {
    double y = 1;
    for (int k = 1; k <= n; ++k) y *= x / (2 * k);
    return y;
  }
  if (x <= 25) return by_recurrence(n, x).j;
  double below = far_out(0, x).j, here = n == 0 ? below : far_out(1, x).j;
  for (int k = 1; k < n; ++k) {
    const double above = std::fma(2 * k / x, here, -below);
    below = here;
    here = above;
  }
  return here;
}

/// Yₙ for x > 0.
MINIMA_HD inline double second_kind(int n, double x) {
  if (x == infinity) return 0;
  double below = 0, here = 0;
  if (x < 1e-8) {
    below = 2 / pi * (std::log(x / 2) + euler), here = -2 / (pi * x);
  } else if (x <= 25) {
    const Values values = by_recurrence(0, x);
    below = values.y0, here = values.y1;
  } else {
    below = far_out(0, x).y, here = far_out(1, x).y;
  }
  if (n == 0) return below;
  for (int k = 1; k < n; ++k) {
    const double above = std::fma(2 * k / x, here, -below);
    below = here;
    here = above;
  }
  return here;
}

/// eˣ·K of any order for x > 0 that is not small: ∫₀^∞ exp(-x·(cosh t - 1))·cosh(order·t) dt by the trapezoidal rule,
/// which converges exponentially. The step fits the integrand's width, about 1 / √x.
MINIMA_HD inline double scaled_third_kind(double order, double x) {
  const double step = x > 6 ? 0.55 / std::sqrt(x) : 0.22;
  double sum = 0.5;
  for (int i = 1; i < 200; ++i) {
    const double t = i * step, half = std::sinh(t / 2), falling = x * half * (2 * half);
    if (falling > 745) break;
    const double term = std::exp(-falling) * std::cosh(order * t);
    sum += term;
    if (term < 1e-18 * sum) break;
  }
  return sum * step;
}

/// Kₙ for x > 0, times eˣ if `scaled`.
MINIMA_HD inline double third_kind(int n, bool scaled, double x) {
  if (x == infinity) return 0;
  double below = 0, here = 0;
  if (x <= 2) {  // the power series
    const double quarter = x * x / 4, logarithm = std::log(x / 2) + euler;
    double term = 1, harmonic = 0, first = 0;
    for (int k = 0; k < 30; ++k) {
      below += term * (harmonic - logarithm);
      first += term / (k + 1) * (logarithm - harmonic - 0.5 / (k + 1));
      harmonic += 1.0 / (k + 1);
      term *= quarter / ((k + 1.0) * (k + 1.0));
    }
    here = 1 / x + x / 2 * first;
    const double factor = scaled ? std::exp(x) : 1;
    below *= factor, here *= factor;
  } else {
    const double factor = scaled ? 1 : std::exp(-x);
    below = factor * scaled_third_kind(0, x);
    if (n > 0) here = factor * scaled_third_kind(1, x);
  }
  if (n == 0) return below;
  for (int k = 1; k < n; ++k) {
    const double above = below + 2 * k / x * here;
    below = here;
    here = above;
  }
  return here;
}

/// The spherical jₙ = √(π / 2x)·J of order n + ½ for x ≥ 0: its power series for small x, else upwards from sin x / x.
MINIMA_HD inline double spherical(int n, double x) {
  if (x == infinity) return 0;
  if (x < n + 2) {
    double first = 1, term = 1, sum = 1;
    for (int k = 1; k <= n; ++k) first *= x / (2 * k + 1);
    for (int k = 1; k < 30; ++k) {
      term *= -x * x / (2.0 * k * (2 * n + 1 + 2 * k));
      sum += term;
    }
    return first * sum;
  }
  const double s = std::sin(x), c = std::cos(x);
  double below = s / x, here = n == 0 ? below : (below - c) / x;
  for (int k = 1; k < n; ++k) {
    const double above = (2 * k + 1) / x * here - below;
    below = here;
    here = above;
  }
  return here;
}

}  // namespace bessel

/// Jₙ, Yₙ, Kₙ, eˣ·Kₙ or the spherical jₙ. Yₙ is -∞ and Kₙ ∞ at 0; both are NaN below.
struct Bessel {
  static constexpr double cost = 60, flops = 200;
  enum class Kind : std::uint8_t { j, y, k, scaled_k, spherical_j };
  Kind kind = Kind::j;
  int order = 0;

  template <class T> MINIMA_HD T operator()(T x) const { return static_cast<T>(value(static_cast<double>(x))); }

 private:
  MINIMA_HD double value(double x) const {
    if (x != x) return x;
    if (kind == Kind::j || kind == Kind::spherical_j) {
      const double at = std::fabs(x);
      const double size = kind == Kind::j ? bessel::first_kind(order, at) : bessel::spherical(order, at);
      return x < 0 && order % 2 != 0 ? -size : size;
    }
    if (x < 0) return std::numeric_limits<double>::quiet_NaN();
    if (x == 0) return kind == Kind::y ? -bessel::infinity : bessel::infinity;
    return kind == Kind::y ? bessel::second_kind(order, x) : bessel::third_kind(order, kind == Kind::scaled_k, x);
  }
};

/// Ai or Ai'. Between -9.5 and 0.5 by Taylor series about the nearest integer, above by K of order 1/3 or 2/3, below by
/// the asymptotic expansion (Abramowitz, Stegun 10.4).
struct Airy {
  static constexpr double cost = 60, flops = 200;
  bool derivative = false;

  template <class T> MINIMA_HD T operator()(T x) const { return static_cast<T>(value(static_cast<double>(x))); }

 private:
  MINIMA_HD double value(double x) const {
    if (x != x) return x;
    if (x > 0.5) {
      const double root = std::sqrt(x), zeta = 2.0 / 3 * x * root;
      if (zeta > 745) return derivative ? -0.0 : 0.0;
      const double size =
          std::exp(-zeta) * bessel::scaled_third_kind(derivative ? 2.0 / 3 : 1.0 / 3, zeta) / bessel::pi;
      return derivative ? -x / std::sqrt(3.0) * size : root / std::sqrt(3.0) * size;
    }
    return x < -9.5 ? far_left(-x) : near(x);
  }

  MINIMA_HD double near(double x) const {
    constexpr double values[] = {0.355028053887817239,  0.535560883292352119,   0.227407428201685576,
                                 -0.378814293677658074, -0.0702655329492895151, 0.35076100902411432,
                                 -0.329145173629823105, 0.184280835250505637,   -0.0527050503563862026,
                                 -0.0221337215473414037};
    constexpr double slopes[] = {-0.258819403792806798, -0.0101605671166452094, 0.618259020741691041,
                                 0.314583769216598814,  -0.79062857536858138,   0.327192818554443137,
                                 0.345935487281342895,  -0.771008168410126548,  0.935560938198306551,
                                 -0.975663980926331595};
    const int place = static_cast<int>(std::rint(-x));
    const double step = x + place;
    // y″ = x·y: (k + 2)·(k + 1)·tₖ₊₂ = -place·tₖ + tₖ₋₁
    double before = 0, here = values[place], next = slopes[place], power = 1;
    double sum = 0, slope = 0;
    for (int k = 0; k < 30; ++k) {
      sum += here * power;
      slope += (k + 1) * next * power;
      power *= step;
      const double after = (before - place * here) / ((k + 2.0) * (k + 1.0));
      before = here;
      here = next;
      next = after;
    }
    return derivative ? slope : sum;
  }

  MINIMA_HD double far_left(double x) const {
    const double root = std::sqrt(x), zeta = 2.0 / 3 * x * root;
    if (!derivative && zeta == bessel::infinity) return 0;
    double term = 1, p = 1, q = 0;
    for (int k = 1; k < 40; ++k) {
      const double next = term * (6 * k - 5.0) * (6 * k - 3.0) * (6 * k - 1.0) / (216.0 * k * (2 * k - 1) * zeta);
      if (!(next < term) || next < 1e-18) break;
      term = next;
      const double own = derivative ? -term * (6 * k + 1.0) / (6 * k - 1.0) : term;
      if (k % 2 != 0) q += k % 4 == 1 ? own : -own;
      else p += k % 4 == 0 ? own : -own;
    }
    const double s = std::sin(zeta), c = std::cos(zeta), size = 1 / std::sqrt(2 * bessel::pi);
    const double sine = size * (s + c), cosine = size * (c - s);  // of ζ + π/4
    return derivative ? -std::sqrt(root) * (p * cosine + q * sine) : (p * sine - q * cosine) / std::sqrt(root);
  }
};

/// Iₙ(x), times e^(-|x|) if `scaled`: the power series Σ (x/2)²ᵏ⁺ⁿ / (k! (k + n)!) for small x, Hankel's expansion for
/// large.
struct BesselI {
  static constexpr double cost = 40, flops = 80;
  int order = 0;
  bool scaled = false;
  template <class T> MINIMA_HD T operator()(T x) const {
    const T size = math::abs(x), sign = x < T(0) && order % 2 != 0 ? T(-1) : T(1);
    if (size > T(30 + order * order)) {
      if (size == std::numeric_limits<T>::infinity()) return scaled ? T(0) : sign * size;
      T term = 1, sum = 1;
      const T mu = T(4 * order * order);
      for (int k = 1; k < 40; ++k) {
        const T odd = T(2 * k - 1);
        term *= (odd * odd - mu) / (T(8 * k) * size);
        sum += term;
      }
      const T root = scaled ? T(1) : std::exp(size / 2);
      return sign * root * (root / (T(2.50662827463100050) * std::sqrt(size)) * sum);
    }
    T term = 1;
    for (int k = 1; k <= order; ++k) term *= size / T(2 * k);
    T sum = term;
    const T quarter = size * size / 4;
    for (int k = 1; k < 200; ++k) {
      term *= quarter / (T(k) * T(k + order));
      sum += term;
      if (!(term > sum * std::numeric_limits<T>::epsilon() / 4)) break;
    }
    return scaled ? sign * sum * std::exp(-size) : sign * sum;
  }
};

}  // namespace minima::pointwise::functor
