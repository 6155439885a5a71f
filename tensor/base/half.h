#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>

// float16 and bfloat16 as storage types; arithmetic is done in float. minima defines them itself so that kernels
// compile without the CUDA toolkit (on a GPU, its conversion instructions do the rounding). The formats are the usual
// ones: IEEE binary16 and truncated binary32.

namespace minima {

namespace detail {

MINIMA_HD inline std::uint32_t bits_of(float value) { return __builtin_bit_cast(std::uint32_t, value); }
MINIMA_HD inline float float_of(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }

/// Rounds to nearest even; overflow becomes infinity, NaN stays NaN, subnormals are exact.
/// The scaling trick (Fabian Giesen, "float->half variants") has few branches, so loops over it vectorise.
MINIMA_HD inline std::uint16_t half_bits(float value) {
#ifdef __CUDA_ARCH__
  std::uint16_t half_of_value;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half_of_value) : "f"(value));
  return half_of_value;
#else
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t sign = bits & 0x80000000u;
  const std::uint32_t magnitude = bits ^ sign;
  const std::uint32_t overflow = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
  const std::uint32_t subnormal = bits_of(float_of(magnitude) + float_of(0x3f000000u)) - 0x3f000000u;
  const std::uint32_t normal = (magnitude + 0xc8000fffu + ((magnitude >> 13) & 1u)) >> 13;
  const std::uint32_t half = magnitude >= 0x47800000u ? overflow : magnitude < 0x38800000u ? subnormal : normal;
  return static_cast<std::uint16_t>(half | (sign >> 16));
#endif
}

MINIMA_HD inline float half_value(std::uint16_t half) {
#ifdef __CUDA_ARCH__
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
  return value;
#else
  const std::uint32_t shifted = (half & 0x7fffu) << 13;
  const std::uint32_t exponent = shifted & 0x0f800000u;
  std::uint32_t magnitude = shifted + 0x38000000u;
  magnitude = exponent == 0x0f800000u ? magnitude + 0x38000000u : magnitude;
  const float subnormal = float_of(shifted + 0x38800000u) - float_of(0x38800000u);
  magnitude = exponent == 0 ? bits_of(subnormal) : magnitude;
  return float_of(magnitude | (static_cast<std::uint32_t>(half & 0x8000u) << 16));
#endif
}

}  // namespace detail

/// IEEE binary16: 5 bits of exponent, 10 of fraction; largest finite value 65504.
struct Float16 {
  std::uint16_t bits = 0;
  Float16() = default;
  MINIMA_HD explicit Float16(float value) : bits(detail::half_bits(value)) {}
  MINIMA_HD operator float() const { return detail::half_value(bits); }
};

/// The upper half of a binary32: float's range with 8 bits of precision. Rounds to nearest even.
struct BFloat16 {
  std::uint16_t bits = 0;
  BFloat16() = default;
  MINIMA_HD explicit BFloat16(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
#else
    const std::uint32_t wide = detail::bits_of(value);
    const std::uint32_t rounded = wide + 0x7fffu + ((wide >> 16) & 1u);
    const bool nan = (wide & 0x7fffffffu) > 0x7f800000u;
    bits = static_cast<std::uint16_t>(nan ? (wide >> 16) | 0x0040u : rounded >> 16);
#endif
  }
  MINIMA_HD operator float() const { return detail::float_of(static_cast<std::uint32_t>(bits) << 16); }
};

}  // namespace minima
