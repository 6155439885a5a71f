#pragma once

#include <minima/ops/loops/math/math_cpu.h>

// Float functions on the CPU computed in double, for arguments of moderate size: plain arithmetic that vectorises,
// accurate to about half an ulp. Functors offer them as their fast form (loop.h).

namespace minima::math::by_double {

/// Up to 2²⁰, subtracting the nearest multiple of π/2 leaves enough accuracy.
MINIMA_MATH bool has_sine(float x) { return cpu::absolute(x) <= 0x1p20f; }

/// sin(x + half · π) for half = 0 or 0.5.
MINIMA_MATH float sine(float x, double half) {
  constexpr double shift = 0x1.8p52;  // adding it rounds to an integer, left in the low bits
  const double wide = x, shifted = (wide * 0.31830988618379067 + half) + shift, turns = (shifted - shift) - half;
  // π in two parts; the first is short enough that `turns` times it is exact.
  const double r = (wide - turns * 3.14159265346825122834) - turns * 1.21542010130123844986e-10, z = r * r;
  // Minimax: a relative error of 2^-35 for |r| ≤ π/2.
  const double of_r =
      r * cpu::poly(z, 1.0, -0.166666666261494028001, 0.00833333110859302893894, -0.000198408682086071882799,
                    0.00000275253843597886108798, -2.38889081586652904449e-8);
  return static_cast<float>(cpu::value<double>(cpu::bits(of_r) ^ cpu::bits(shifted) << 63));
}

MINIMA_MATH bool is_finite(float x) { return cpu::absolute(x) < __builtin_huge_valf(); }

struct Wave {
  double sin, cos;
};
/// Both for |r| ≤ π/4.
MINIMA_MATH Wave waves(double r) {
  const double z = r * r;
  return {r * cpu::poly(z, 1.0, -0.166666666416265235595, 0.0083333293858894631756, -0.000198393348360966317347,
                        0.0000027183114939898219064),
          cpu::poly(z, 1.0, -0.499999997251031003120, 0.0416666233237390631894, -0.00138867637746099294692,
                    0.0000243904487962774090654)};
}

/// tan(x)
MINIMA_MATH float tangent(float x) {
  constexpr double shift = 0x1.8p52;  // as in sine
  const double wide = x, shifted = wide * 0.63661977236758134 + shift, n = shifted - shift;
  const double r = (wide - n * 1.57079632673412561417) - n * 6.07710050650619224932e-11;
  const Wave wave = waves(r);
  const bool odd = (cpu::bits(shifted) & 1) != 0;
  return static_cast<float>(cpu::choose(odd, -wave.cos, wave.sin) / cpu::choose(odd, wave.sin, wave.cos));
}

/// The angle of the point (x, y), both finite and not both 0.
MINIMA_MATH bool has_angle(double y, double x) {
  const double a = cpu::absolute(y), b = cpu::absolute(x);
  return (a < __builtin_huge_val()) & (b < __builtin_huge_val()) & (a + b > 0);
}
MINIMA_MATH float angle(double y, double x) {
  constexpr double pi = 3.14159265358979324;
  const double a = cpu::absolute(y), b = cpu::absolute(x);
  const bool steep = a > b;
  const double t = cpu::choose(steep, b, a) / cpu::choose(steep, a, b), z = t * t;
  const double flat =
      t * cpu::poly(z, 0.99999999992930368, -0.33333331290889988, 0.19999901102171554, -0.14283813255743194,
                    0.11091922963683302, -0.089741719583638811, 0.072282783453772522, -0.053956680571371718,
                    0.033826218952786872, -0.015828322749149416, 0.0047324841934219207, -0.00066339545711047872);
  const double quarter = cpu::choose(steep, pi / 2 - flat, flat);
  return static_cast<float>(cpu::with_sign(cpu::choose(x < 0, pi - quarter, quarter), y));
}

/// a - b·trunc(a / b), exact: the quotient has at most 28 bits, so its product with b has at most 52.
MINIMA_MATH bool has_rest(float a, float b) {
  const bool is_near = cpu::absolute(a) < cpu::absolute(b) * 0x1p28f;
  return is_near & is_finite(b);
}
MINIMA_MATH float rest(float a, float b) {
  const double by = cpu::absolute(b), from = cpu::absolute(a);
  const double left = from - static_cast<double>(static_cast<std::int32_t>(from / by)) * by;
  // The quotient may have been rounded up to an integer.
  return cpu::with_sign(static_cast<float>(cpu::choose(left < 0, left + by, left)), a);
}

MINIMA_MATH float hyperbolic_sine(float x) {
  const double t = cpu::expm1(static_cast<double>(cpu::absolute(x)));
  return cpu::with_sign(static_cast<float>((t + t / (t + 1)) / 2), x);
}
MINIMA_MATH float hyperbolic_cosine(float x) {
  const double t = cpu::exp(static_cast<double>(cpu::absolute(x)));
  return static_cast<float>((t + 1 / t) / 2);
}
/// sinh⁻¹(x) = log(|x| + √(x² + 1))
MINIMA_MATH float area_sine(float x) {
  const double a = cpu::absolute(x), square = a * a;
  return cpu::with_sign(static_cast<float>(cpu::log1p(a + square / (1 + cpu::sqrt(square + 1)))), x);
}
/// cosh⁻¹(x) for x ≥ 1
MINIMA_MATH float area_cosine(float x) {
  const double beyond = static_cast<double>(x) - 1;
  return static_cast<float>(cpu::log1p(beyond + cpu::sqrt(beyond * (static_cast<double>(x) + 1))));
}
/// tanh⁻¹(x) for |x| < 1
MINIMA_MATH float area_tangent(float x) {
  const double a = cpu::absolute(x);
  return cpu::with_sign(static_cast<float>(0.5 * cpu::log1p(2 * a / (1 - a))), x);
}

/// log Γ(x) for x > 0 by Stirling's series, from x + 8 where x is below 8.
MINIMA_MATH float log_gamma(float x) {
  const double wide = x;
  // By bits: g++ would compute the product, and the second logarithm, in a branch.
  const std::uint64_t small = 0 - static_cast<std::uint64_t>(wide < 8), one = cpu::bits(1.0);
  const double product =
      wide * (wide + 1) * ((wide + 2) * (wide + 3)) * ((wide + 4) * (wide + 5)) * ((wide + 6) * (wide + 7));
  const double divisor = cpu::value<double>((cpu::bits(product) & small) | (one & ~small));
  const double y = wide + cpu::value<double>(cpu::bits(8.0) & small), inverse = 1 / y, z = inverse * inverse;
  const double series =
      inverse * cpu::poly(z, 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360);
  const double sum = (y - 0.5) * cpu::log(y) - y + 0.91893853320467274178 + series;
  // 0 at 1 and 2, next to which the difference keeps its digits.
  const std::uint64_t root = 0 - static_cast<std::uint64_t>((wide == 1) | (wide == 2));
  return static_cast<float>(cpu::value<double>(cpu::bits(sum - cpu::log(divisor)) & ~root));
}

/// Its derivative, likewise; from x + 8, Σ 1 / (x + k) is subtracted as one fraction.
MINIMA_MATH float digamma(float x) {
  const double wide = x;
  const std::uint64_t small = 0 - static_cast<std::uint64_t>(wide < 8);
  double top = 1, bottom = wide;
  for (int k = 1; k < 8; ++k) {
    top = top * (wide + k) + bottom;
    bottom *= wide + k;
  }
  const double below = cpu::value<double>(cpu::bits(top / bottom) & small);
  const double y = wide + cpu::value<double>(cpu::bits(8.0) & small), inverse = 1 / y, z = inverse * inverse;
  const double series =
      z * cpu::poly(z, 1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12);
  return static_cast<float>(cpu::log(y) - inverse / 2 - series - below);
}

MINIMA_MATH bool has_power(float x, float y) {
  return (x > 0) & (x < __builtin_huge_valf()) & (cpu::absolute(y) < 1e30f);
}
/// xʸ
MINIMA_MATH float power(float x, float y) {
  return static_cast<float>(cpu::exp(static_cast<double>(y) * cpu::log(static_cast<double>(x))));
}

}  // namespace minima::math::by_double
