#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

// Floating point as PTX defines it, on single values.

namespace simulated::ptx {

/// Subnormal numbers become zeros of their sign (.ftz).
inline float flush(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return (bits & 0x7f800000u) == 0 ? std::bit_cast<float>(bits & 0x80000000u) : x;
}

/// "NaN results are the canonical NaN 0x7fffffff" in single precision; double precision keeps payloads.
inline float canonical(float x) { return x != x ? std::bit_cast<float>(0x7fffffffu) : x; }
inline double canonical(double x) { return x; }

/// To [0, 1]; NaN becomes 0 (.sat).
template <class T> T saturate(T x) {
  const T above = x > T{0} ? x : T{0};
  return above < T{1} ? above : T{1};
}

/// float64 shares this with float32.
template <class T> T least(T a, T b) {
  if (a != a) return canonical(b);
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? a : b;  // -0 is less than +0
  return a < b ? a : b;
}
template <class T> T greatest(T a, T b) {
  if (a != a) return canonical(b);
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a < b ? b : a;
}

/// bfloat16's bits, rounded to nearest even.
inline std::uint16_t to_bfloat16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (x != x) return 0x7fff;
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
inline float from_bfloat16(std::uint16_t x) { return std::bit_cast<float>(std::uint32_t{x} << 16); }

/// float16's bits, rounded to nearest even.
inline std::uint16_t to_float16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fff;
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // 65520 and above
  if (magnitude < 0x38800000u) {  // below 2^-14: a multiple of 2^-24, which adding 0.5 rounds to
    const float scaled = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(scaled) - 0x3f000000u));
  }
  return static_cast<std::uint16_t>(sign | (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13);
}
inline float from_float16(std::uint16_t x) {
  const std::uint32_t sign = (x & 0x8000u) << 16, magnitude = x & 0x7fffu;
  if (magnitude >= 0x7c00u) return std::bit_cast<float>(magnitude == 0x7c00u ? sign | 0x7f800000u : 0x7fffffffu);
  const float value = std::bit_cast<float>((magnitude << 13) + 0x38000000u);
  const float small = static_cast<float>(magnitude) * 0x1p-24f;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude < 0x400u ? small : value));
}

}  // namespace simulated::ptx
