#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/half.h>

#include <cstdint>

// Pairs of normal variates from random words (Box and Muller 1958). Uses only additions, multiplications, one division
// and one square root, which IEEE 754 defines to the last bit, so every device and vector width gives the same numbers
// if the file is compiled without contraction to fused multiply-adds.

namespace minima {

template <class T>
struct NormalPair {
  T even, odd;
};

namespace detail {

/// c0 + x·(c1 + x·(c2 + …))
template <class T>
MINIMA_HD inline T polynomial(T, T constant) {
  return constant;
}
template <class T, class... Rest>
MINIMA_HD inline T polynomial(T x, T constant, Rest... rest) {
  return constant + x * polynomial(x, rest...);
}

/// ln(u) for u in (0, 1]: u = 2^e · m with m in [√½, √2), ln m = 2 artanh((m - 1) / (m + 1)) as its power series.
MINIMA_HD inline float log_of_unit(float u) {
  const std::int32_t exponent = static_cast<std::int32_t>(bits_of(u) - 0x3f3504f3u) >> 23;
  const float m = float_of(bits_of(u) - (static_cast<std::uint32_t>(exponent) << 23));
  const float s = (m - 1.0f) / (m + 1.0f), z = s * s;
  const float series = polynomial(z, 1.0f, 1.0f / 3, 1.0f / 5, 1.0f / 7, 1.0f / 9);
  return static_cast<float>(exponent) * 0.693147181f + 2.0f * s * series;
}

MINIMA_HD inline double log_of_unit(double u) {
  const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, u);
  const std::int64_t exponent = static_cast<std::int64_t>(bits - 0x3fe6a09e667f3bcdull) >> 52;
  const double m = __builtin_bit_cast(double, bits - (static_cast<std::uint64_t>(exponent) << 52));
  const double s = (m - 1.0) / (m + 1.0), z = s * s;
  const double series = polynomial(z, 1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17,
                                   1.0 / 19, 1.0 / 21, 1.0 / 23);
  return static_cast<double>(exponent) * 0.69314718055994530942 + 2.0 * s * series;
}

/// sin x and cos x for |x| ≤ π/4 by their Taylor series.
MINIMA_HD inline float sin_of_octant(float x) {
  return x * polynomial(-x * x, 1.0f, 1.0f / 6, 1.0f / 120, 1.0f / 5040, 1.0f / 362880);
}
MINIMA_HD inline float cos_of_octant(float x) {
  return polynomial(-x * x, 1.0f, 0.5f, 1.0f / 24, 1.0f / 720, 1.0f / 40320, 1.0f / 3628800);
}
MINIMA_HD inline double sin_of_octant(double x) {
  return x * polynomial(-x * x, 1.0, 1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880, 1.0 / 39916800, 1.0 / 6227020800,
                        1.0 / 1307674368000, 1.0 / 355687428096000);
}
MINIMA_HD inline double cos_of_octant(double x) {
  return polynomial(-x * x, 1.0, 1.0 / 2, 1.0 / 24, 1.0 / 720, 1.0 / 40320, 1.0 / 3628800, 1.0 / 479001600,
                    1.0 / 87178291200, 1.0 / 20922789888000, 1.0 / 6402373705728000);
}

/// r·(cos a, sin a) for the angle a = quadrant·π/2 + x, given the sine and cosine of x.
template <class T>
MINIMA_HD inline NormalPair<T> turned(T radius, std::uint32_t quadrant, T sine, T cosine) {
  const bool swapped = (quadrant & 1u) != 0;
  const T cos_part = swapped ? sine : cosine, sin_part = swapped ? cosine : sine;
  const bool cos_negative = ((quadrant + 1u) & 2u) != 0, sin_negative = (quadrant & 2u) != 0;
  return {radius * (cos_negative ? -cos_part : cos_part), radius * (sin_negative ? -sin_part : sin_part)};
}

}  // namespace detail

/// Two independent normal variates. The radius comes from u = (low + ½)·2^-32, which is never 0, the angle is
/// high·2^-32 turns. The largest magnitude is √(66 ln 2) = 6.76.
MINIMA_HD inline NormalPair<float> normal_pair(std::uint32_t low, std::uint32_t high) {
  const float u = static_cast<float>(low) * 0x1p-32f + 0x1p-33f;
  const float radius = __builtin_sqrtf(-2.0f * detail::log_of_unit(u));
  // Splits the angle into the nearest quarter turn and a signed remainder, exactly.
  const std::uint32_t quadrant = (high + 0x20000000u) >> 30;
  const float x = static_cast<float>(static_cast<std::int32_t>(high - (quadrant << 30))) * 1.46291808e-9f;
  return detail::turned(radius, quadrant, detail::sin_of_octant(x), detail::cos_of_octant(x));
}

/// The same in double, from four words: 53 bits for the radius (words 0 and 1), 64 for the angle (words 2 and 3).
MINIMA_HD inline NormalPair<double> normal_pair(const std::uint32_t* word) {
  const std::uint64_t low = static_cast<std::uint64_t>(word[1]) << 32 | word[0];
  const std::uint64_t high = static_cast<std::uint64_t>(word[3]) << 32 | word[2];
  const double u = (static_cast<double>(low >> 11) + 0.5) * 0x1p-53;
  const double radius = __builtin_sqrt(-2.0 * detail::log_of_unit(u));
  const std::uint64_t quadrant = (high + 0x2000000000000000ull) >> 62;
  const double x = static_cast<double>(static_cast<std::int64_t>(high - (quadrant << 62))) * 3.4061215800865545e-19;
  return detail::turned(radius, static_cast<std::uint32_t>(quadrant), detail::sin_of_octant(x),
                        detail::cos_of_octant(x));
}

}  // namespace minima
