#pragma once

#include <minima/ops/loops/math/by_double.h>
#include <minima/ops/loops/math/math.h>

#include <cmath>
#include <limits>
#include <type_traits>

namespace minima::pointwise::functor {

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

/// e^(x²)·erfc(x)
MINIMA_HD inline double scaled_erfc(double x) {
  if (x > 25) {  // the asymptotic series
    double term = 1, sum = 1;
    for (int k = 1; k < 10; ++k) {
      term *= -(2 * k - 1) / (2 * x * x);
      sum += term;
    }
    return sum / (x * 1.77245385090551603);
  }
  if (x < -27) return std::numeric_limits<double>::infinity();
  const double square = x * x, rest = std::fma(x, x, -square);  // x² without rounding
  return std::exp(square) * (1 + rest) * std::erfc(x);
}

struct Erfcx {
  static constexpr double cost = 4, flops = 60;
  template <class T> MINIMA_HD T operator()(T x) const { return static_cast<T>(scaled_erfc(static_cast<double>(x))); }
};

/// log of the standard normal distribution function: by erfcx where that is small.
struct LogNdtr {
  static constexpr double cost = 6, flops = 80;
  template <class T> MINIMA_HD T operator()(T x) const {
    const double size = static_cast<double>(x) * 0.707106781186547524;
    // Fused, so that no loop contracts it in another way than the next.
    if (size < -1) return static_cast<T>(std::fma(-size, size, std::log(scaled_erfc(-size) / 2)));
    return static_cast<T>(std::log1p(-std::erfc(size) / 2));
  }
};

}  // namespace minima::pointwise::functor
