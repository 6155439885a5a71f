#pragma once

#include <cublasLt.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

// The element types of matrices, read and written as doubles.

namespace simulated {

struct Half {
  std::uint16_t bits;
  static Half from(double value);
  double value() const;
};

struct BFloat {
  std::uint16_t bits;
  static BFloat from(double value);
  double value() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
};

inline double to_double(Half x) { return x.value(); }
inline double to_double(BFloat x) { return x.value(); }
inline double to_double(float x) { return x; }
inline double to_double(double x) { return x; }

template <class T> T to_element(double value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat>) return T::from(value);
  else return static_cast<T>(value);
}

/// Rounded to the 10 bits of mantissa of TF32, ties away from zero (PTX, cvt.rna.tf32.f32).
inline double to_tf32(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (!std::isfinite(value)) return value;
  return std::bit_cast<float>((bits + 0x1000u) & ~0x1fffu);
}

/// Calls visit with a value of the C++ type.
template <class Visit> void visit_type(cudaDataType type, const Visit& visit) {
  switch (type) {
    case CUDA_R_64F: return visit(double());
    case CUDA_R_32F: return visit(float());
    case CUDA_R_16F: return visit(Half());
    case CUDA_R_16BF: return visit(BFloat());
  }
}

/// The nearest value of a format with `mantissa` bits and exponents of at least `least`, ties to even.
inline double round_to(double value, int mantissa, int least) {
  if (!std::isfinite(value) || value == 0) return value;
  const int exponent = std::max(std::ilogb(value), least) - mantissa;
  return std::ldexp(std::nearbyint(std::ldexp(value, -exponent)), exponent);
}

inline BFloat BFloat::from(double value) {
  if (std::isnan(value)) return {0x7fff};
  const auto nearest = static_cast<float>(round_to(value, 7, -126));  // exact, or infinite
  return {static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(nearest) >> 16)};
}

inline Half Half::from(double value) {
  if (std::isnan(value)) return {0x7fff};
  const double nearest = round_to(value, 10, -14), size = std::fabs(nearest);
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (size >= 65536) return {static_cast<std::uint16_t>(sign | 0x7c00)};
  // Multiples of 2⁻²⁴ below 2⁻¹⁴; otherwise the exponent takes the bits above the mantissa.
  if (size < std::ldexp(1.0, -14)) return {static_cast<std::uint16_t>(sign | std::lrint(std::ldexp(size, 24)))};
  const int exponent = std::ilogb(size);
  const auto mantissa = static_cast<std::uint16_t>(std::lrint(std::ldexp(size, 10 - exponent)) - 1024);
  return {static_cast<std::uint16_t>(sign | (exponent + 15) << 10 | mantissa)};
}

/// The exponent's bias differs by 112; below 2⁻¹⁴ the product normalises.
inline double Half::value() const {
  const std::uint32_t size = bits & 0x7fffu, sign = (bits & 0x8000u) << 16;
  if (size >= 0x7c00) return std::bit_cast<float>(sign | 0x7f80'0000u | (size & 1023u) << 13);
  return std::bit_cast<float>(sign | size << 13) * 0x1p112f;
}

}  // namespace simulated
