#pragma once

#include <minima/ops/loops/math/by_double.h>
#include <minima/ops/loops/math/math.h>

#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>

// The logarithm of the gamma function and its derivatives; zeta and incomplete gamma functions, computed in double.

namespace minima::pointwise::functor {

struct Lgamma {
  static constexpr double cost = 4, flops = 30;
  template <class T> MINIMA_HD T operator()(T x) const {
#ifdef __CUDA_ARCH__
    return ::lgamma(x);
#else
    int sign = 0;  // lgamma stores it in a global variable
    if constexpr (std::is_same_v<T, float>) return ::lgammaf_r(x, &sign);
    else return ::lgamma_r(x, &sign);
#endif
  }
  template <std::same_as<float> T> static bool fits(T x) { return (x > 0) & math::isfinite(x); }
  static float fast(float x) { return math::by_double::log_gamma(x); }
};

/// Reflection for x < 0, recurrence to x ≥ 10, then log x - 1/2x - Σ B₂ₖ / (2k x²ᵏ).
struct Digamma {
  static constexpr double cost = 4, flops = 40;
  template <class T> MINIMA_HD T operator()(T x) const {
    constexpr T pi = T(3.14159265358979324), infinity = std::numeric_limits<T>::infinity();
    if (x == T(0)) return std::copysign(infinity, -x);
    if (x == -infinity) return T(0) / (x - x);
    T shift = 0;
    if (x < T(0)) {
      const T beyond = x - std::rint(x);  // exact
      if (beyond == T(0)) return T(0) / (x - x);
      const T angle = pi * beyond;
      shift = -pi * std::cos(angle) / std::sin(angle);
      x = T(1) - x;
    }
    for (; x < T(10); x += T(1)) shift -= T(1) / x;
    const T z = T(1) / (x * x);
    const T tail =
        z * (T(1) / 12 -
             z * (T(1) / 120 - z * (T(1) / 252 - z * (T(1) / 240 - z * (T(1) / 132 - z * (T(691) / 32760 - z / 12))))));
    return x == infinity ? x : std::log(x) - T(0.5) / x - tail + shift;
  }
  template <std::same_as<float> T> static bool fits(T x) { return (x > 0) & math::isfinite(x); }
  static float fast(float x) { return math::by_double::digamma(x); }
};

/// (-1)ⁿ⁺¹ n! ζ(n + 1, x) with Hurwitz's ζ(s, x) = Σ (x + k)⁻ˢ.
struct Polygamma {
  static constexpr double cost = 60, flops = 100;
  int n = 1;

  template <class T> MINIMA_HD T operator()(T x) const {
    const T s = T(n + 1), sign = n % 2 == 0 ? T(-1) : T(1), whole = std::floor(x);
    T sum;
    if (x > T(0)) {
      sum = zeta(s, x);
    } else if (x == whole || x != x) {
      sum = x == -std::numeric_limits<T>::infinity() || x != x ? T(0) / (x - x) : std::numeric_limits<T>::infinity();
    } else {
      // The terms with x + k < 0 are those of a sum from 1 - fraction on, up to 1 - x.
      const T mirrored = zeta(s, whole + T(1) - x) - zeta(s, T(1) - x);
      sum = zeta(s, x - whole) + (n % 2 == 0 ? -mirrored : mirrored);
    }
    return sign * std::exp(std::lgamma(s)) * sum;
  }

 private:
  /// Sums up to x + 10, then Euler-Maclaurin's formula. x > 0.
  template <class T> MINIMA_HD static T zeta(T s, T x) {
    constexpr T bernoulli[] = {T(1) / 6, T(-1) / 30, T(1) / 42, T(-1) / 30, T(5) / 66, T(-691) / 2730, T(7) / 6};
    if (x == std::numeric_limits<T>::infinity()) return T(0);
    T sum = 0;
    for (; x < T(10); x += T(1)) sum += std::pow(x, -s);
    const T power = std::pow(x, -s);
    sum += std::pow(x, T(1) - s) / (s - T(1)) + power / T(2);
    T factor = s * power / x;  // s (s + 1) … (s + 2j - 2) x^(-s - 2j + 1) / (2j)! without 1/2
    for (int j = 1; j <= 7; ++j) {
      factor /= j == 1 ? T(2) : T((2 * j - 1) * (2 * j));
      sum += bernoulli[j - 1] * factor;
      factor *= (s + T(2 * j - 1)) * (s + T(2 * j)) / (x * x);
    }
    return sum;
  }
};

namespace gamma_function {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// e^(x²)·erfc(x)
MINIMA_HD inline double erfcx(double x) {
  if (x > 25) {  // the asymptotic series
    double term = 1, sum = 1;
    for (int k = 1; k < 10; ++k) {
      term *= -(2 * k - 1) / (2 * x * x);
      sum += term;
    }
    return sum / (x * 1.77245385090551603);
  }
  if (x < -27) return infinity;
  const double square = x * x, rest = std::fma(x, x, -square);  // x² without rounding
  return std::exp(square) * (1 + rest) * std::erfc(x);
}

/// log(x) - x + 1 without cancellation near 1, by u = x - 1.
MINIMA_HD inline double log_minus(double u) {
  if (std::fabs(u) > 0.3) return std::log1p(u) - u;
  double power = u * u, sum = 0;
  for (int k = 2; k < 60; ++k) {
    const double term = (k % 2 == 0 ? -power : power) / k;
    sum += term;
    if (std::fabs(term) < 1e-17 * std::fabs(sum)) break;
    power *= u;
  }
  return sum;
}

/// lgamma(a + 1) - (a·log(a) - a + log(2πa) / 2) for a ≥ 10
MINIMA_HD inline double stirling(double a) {
  const double z = 1 / (a * a);
  return (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188 - z * 691 / 360360))))) / a;
}

/// xᵃ·e⁻ˣ / Γ(a + 1)
MINIMA_HD inline double density(double a, double x) {
  if (a < 10) return std::exp(a * std::log(x) - x - std::lgamma(a + 1));
  return std::exp(a * log_minus((x - a) / a) - stirling(a)) / std::sqrt(6.28318530717958648 * a);
}

/// The regularised incomplete gamma functions' parts: P and Q = 1 - P, of which the smaller is computed.
struct Split {
  double p, q;
};

/// Temme's uniform expansion with three terms, for a > 10⁴ and x near a.
MINIMA_HD inline Split uniform(double a, double x) {
  const double mu = (x - a) / a, half = -log_minus(mu), eta = std::copysign(std::sqrt(2 * half), mu);
  const double c0 =
      -1.0 / 3 + eta * (1.0 / 12 - eta * (2.0 / 135 - eta * (1.0 / 864 + eta * (1.0 / 2835 - eta * 139 / 777600))));
  const double c1 = -1.0 / 540 - eta * (1.0 / 288 - eta * (1.0 / 378 - eta * 77 / 77760));
  const double c2 = 25.0 / 6048 - eta * 139 / 51840;
  const double rest = std::exp(-a * half) / std::sqrt(6.28318530717958648 * a) * (c0 + (c1 + c2 / a) / a);
  const double size = eta * std::sqrt(a / 2);
  return {0.5 * std::erfc(-size) - rest, 0.5 * std::erfc(size) + rest};
}

/// lgamma(a + 1) for a of at least 0, with all digits also next to 0.
MINIMA_HD inline double log_gamma_plus_1(double a) {
  if (a > 1e-3) return std::lgamma(a + 1);
  return a *
         (a * (0.822467033424113218 - a * (0.400685634386531428 - a * 0.270580808427784548)) - 0.577215664901532861);
}

/// 1 - xᵃ/Γ(a + 1) - xᵃ/Γ(a) · Σ (-x)ᵏ / k!(a + k) for 0 < a < 1 and x < 2, where 1 - P cancels.
MINIMA_HD inline double upper_of_small(double a, double x) {
  double power = 1, sum = 0;
  for (int k = 1; k < 60; ++k) {
    power *= -x / k;
    const double term = power / (a + k);
    sum += term;
    if (std::fabs(term) < 1e-17 * std::fabs(sum)) break;
  }
  const double exponent = a * std::log(x) - log_gamma_plus_1(a);
  return -std::expm1(exponent) - a * std::exp(exponent) * sum;
}

/// a > 0, x > 0, both finite: a power series below a + 1, Lentz's continued fraction above.
MINIMA_HD inline Split incomplete_gamma(double a, double x) {
  constexpr double precision = 1e-17, tiny = 1e-300;
  constexpr int most = 5000;
  if (a > 1e4 && std::fabs(x - a) < 0.1 * a) return uniform(a, x);
  const double factor = density(a, x);
  if (x < a + 1) {
    double term = 1, sum = 1;
    for (int k = 1; k < most && term > precision * sum; ++k) {
      term *= x / (a + k);
      sum += term;
    }
    const double p = factor * sum;
    return {p, a < 1 ? upper_of_small(a, x) : 1 - p};
  }
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b, fraction = d;
  for (int k = 1; k < most; ++k) {
    const double numerator = -k * (k - a);
    b += 2;
    d = numerator * d + b;
    c = b + numerator / c;
    if (std::fabs(d) < tiny) d = tiny;
    if (std::fabs(c) < tiny) c = tiny;
    d = 1 / d;
    const double change = d * c;
    fraction *= change;
    if (std::fabs(change - 1) < 1e-16) break;
  }
  const double q = factor * a * fraction;
  return {1 - q, q};
}

/// Hurwitz's ζ(s, q) = Σ (q + k)⁻ˢ: sums until the terms vanish or q ≥ 10 + s/2, then Euler-Maclaurin's formula.
MINIMA_HD inline double zeta(double s, double q) {
  if (s == 1) return infinity;
  if (!(s > 1) || q != q) return nan;
  if (q <= 0 && q == std::floor(q)) return infinity;
  if (q <= 0 && s != std::floor(s)) return nan;
  if (q == infinity) return 0;
  if (q < -1e5) return nan;  // a sum of as many terms
  double sum = 0;
  for (; q < 10 + s / 2; q += 1) {
    const double term = std::pow(q, -s);
    sum += term;
    if (q > 0 && term <= 1e-18 * sum) return sum;  // also where all vanish
  }
  constexpr double bernoulli[] = {1.0 / 6,  -1.0 / 30,     1.0 / 42, -1.0 / 30,
                                  5.0 / 66, -691.0 / 2730, 7.0 / 6,  -3617.0 / 510};
  const double power = std::pow(q, -s);
  sum += power * (q / (s - 1) + 0.5);
  double factor = s * power / q / 2;
  for (int j = 1; j <= 8; ++j) {
    sum += bernoulli[j - 1] * factor;
    factor *= (s + 2 * j - 1) / ((2 * j + 1) * q) * ((s + 2 * j) / ((2 * j + 2) * q));
  }
  return sum;
}

}  // namespace gamma_function

/// ζ(s, q); NaN for s < 1, and for q < 0 if s is no integer.
struct Zeta {
  static constexpr double cost = 60, flops = 100;
  template <class T> MINIMA_HD T operator()(T s, T q) const {
    return static_cast<T>(gamma_function::zeta(static_cast<double>(s), static_cast<double>(q)));
  }
};

/// P(a, x), or Q(a, x) if `upper`.
struct IncompleteGamma {
  static constexpr double cost = 100, flops = 200;
  bool upper = false;
  template <class T> MINIMA_HD T operator()(T a, T x) const {
    return static_cast<T>(value(static_cast<double>(a), static_cast<double>(x)));
  }

 private:
  MINIMA_HD double value(double a, double x) const {
    constexpr double infinity = gamma_function::infinity;
    if (!(a >= 0) || !(x >= 0) || (a == 0 && x == 0) || (a == infinity && x == infinity)) return gamma_function::nan;
    const bool all = a == 0 || x == infinity, nothing = x == 0 || a == infinity;
    if (all || nothing) return all != upper ? 1 : 0;
    const gamma_function::Split split = gamma_function::incomplete_gamma(a, x);
    return upper ? split.q : split.p;
  }
};

/// xᵃ⁻¹·e⁻ˣ / Γ(a), the derivative of P by x.
struct GammaDensity {
  static constexpr double cost = 20, flops = 60;
  template <class T> MINIMA_HD T operator()(T a, T x) const {
    return static_cast<T>(gamma_function::density(static_cast<double>(a), static_cast<double>(x)) *
                          (static_cast<double>(a) / static_cast<double>(x)));
  }
};

}  // namespace minima::pointwise::functor
