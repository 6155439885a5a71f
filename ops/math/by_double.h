#pragma once

#include <minima/ops/math/math_cpu.h>

// Float functions on the CPU computed in double, for arguments of moderate size: plain arithmetic that vectorises,
// accurate to about half an ulp. Functors offer them as their fast form (loop.h).

namespace minima::math::by_double {

/// Up to 2²⁰, subtracting the nearest multiple of π/2 leaves enough accuracy.
MINIMA_MATH bool has_sine(float x) { return cpu::absolute(x) <= 0x1p20f; }

/// sin(x + quarters · π/2)
MINIMA_MATH float sine(float x, std::uint64_t quarters) {
  constexpr double shift = 0x1.8p52;  // adding it rounds to an integer, left in the low bits
  const double wide = x, shifted = wide * 0.63661977236758134 + shift, n = shifted - shift;
  // π/2 in two parts; the first is short enough that n times it is exact.
  const double r = (wide - n * 1.57079632673412561417) - n * 6.07710050650619224932e-11, z = r * r;
  const double sin = r * cpu::poly(z, 1.0, -0.166666666416265235595, 0.0083333293858894631756,
                                   -0.000198393348360966317347, 0.0000027183114939898219064);
  const double cos = cpu::poly(z, 1.0, -0.499999997251031003120, 0.0416666233237390631894, -0.00138867637746099294692,
                               0.0000243904487962774090654);
  const std::uint64_t quarter = cpu::bits(shifted) + quarters, odd = 0 - (quarter & 1);
  const std::uint64_t chosen = (cpu::bits(cos) & odd) | (cpu::bits(sin) & ~odd);
  return static_cast<float>(cpu::value<double>(chosen ^ (quarter & 2) << 62));
}

MINIMA_MATH bool has_power(float x, float y) {
  return (x > 0) & (x < __builtin_huge_valf()) & (cpu::absolute(y) < 1e30f);
}
/// xʸ
MINIMA_MATH float power(float x, float y) {
  return static_cast<float>(cpu::exp(static_cast<double>(y) * cpu::log(static_cast<double>(x))));
}

}  // namespace minima::math::by_double
