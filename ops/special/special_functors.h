#pragma once

#include <minima/ops/math/by_double.h>
#include <minima/ops/math/math.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace minima::pointwise::functor {

struct Hypot {
  static constexpr double cost = 1, flops = 4;
  template <class T> MINIMA_HD T operator()(T a, T b) const { return std::hypot(a, b); }
  template <std::same_as<float> T> static bool fits(T a, T b) {
    const bool finite = math::isfinite(a);
    return finite & math::isfinite(b);
  }
  static float fast(float a, float b) {
    return static_cast<float>(math::sqrt(double{a} * double{a} + double{b} * double{b}));
  }
};

struct CopySign {
  template <class T> MINIMA_HD T operator()(T a, T b) const { return std::copysign(a, b); }
};

struct SignBit {
  template <class T> MINIMA_HD bool operator()(T x) const {
    if constexpr (math::is_real<T>) return std::signbit(x);
    else if constexpr (std::is_unsigned_v<T>) return false;
    else return x < 0;
  }
};

struct NextAfter {
  static constexpr double cost = 4;
  template <class T> MINIMA_HD T operator()(T a, T b) const { return std::nextafter(a, b); }
};

/// An approximation with a relative error of 2·10⁻³ (S. Winitzki 2008), then Halley's steps on erf, each of which
/// triples the digits. Near ±1 they use erfc, whose residual is exact. Floats on the CPU: x times a polynomial of
/// w = -log(1 - x²), as M. Giles (2010) does.
struct Erfinv {
  static constexpr double cost = 2, flops = 60;
  template <class T> MINIMA_HD T operator()(T x) const {
#ifndef __CUDA_ARCH__
    if constexpr (std::is_same_v<T, float>) return of_float(x);
#endif
    constexpr T a = T(0.147), half_sqrt_pi = T(0.886226925452758014);
    const T size = math::abs(x);
    if (!(size < T(1))) return size == T(1) ? x * std::numeric_limits<T>::infinity() : T(0) / (x - x);
    const T log_gap = std::log1p(-size * size), b = T(2) / (T(3.14159265358979324) * a) + log_gap / 2;
    T y = std::sqrt(std::sqrt(b * b - log_gap / a) - b);
    if (size < T(1e-3)) y = half_sqrt_pi * size;
    for (int step = 0; step < 2; ++step) {
      const T residual = size < T(0.5) ? std::erf(y) - size : (T(1) - size) - std::erfc(y);
      const T newton = residual * half_sqrt_pi * std::exp(y * y);
      y -= newton / (T(1) + y * newton);
    }
    return std::copysign(y, x);
  }

 private:
  /// One minimax polynomial for w < 5.5 and one beyond, on which the error is 2.4 ulp at most.
  static float of_float(float x) {
    namespace cpu = math::cpu;
    const auto parts = cpu::split((1 - x) * (1 + x));  // a normal number for |x| < 1
    const float w = -cpu::log_sum(cpu::mantissa<float>(parts) - 1, cpu::exponent_value<float>(parts));
    const float centre = cpu::poly(w, 0.011226908f, 0.232014267f, 0.0115460246f, -0.00232847279f, -0.000133855517f,
                                   4.84422153e-5f, 2.61000101e-6f, -1.69501577e-6f, 1.90111574e-7f, -7.38291443e-9f);
    const float tail = cpu::poly(w - 10, -0.004254f, 0.158781679f, -0.00380746681f, 0.000171450484f, -8.36983131e-6f,
                                 3.0654066e-7f, 7.56786938e-9f, -4.36797912e-9f, 6.41692987e-10f, -3.58560541e-11f);
    // Most of either constant term is apart, so that it is rounded once.
    const bool central = w < 5.5f;
    const float y = math::fma(x, cpu::choose(central, 0.875f, 3.0f), x * cpu::choose(central, centre, tail));
    const float size = math::abs(x), infinity = cpu::Format<float>::infinity;
    return cpu::choose(size < 1, y, x * cpu::choose(size > 1, std::numeric_limits<float>::quiet_NaN(), infinity));
  }
};

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
