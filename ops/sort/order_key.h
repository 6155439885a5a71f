#pragma once

#include <minima/tensor/base/dtype.h>

#include <cstdint>

namespace minima::sorting {

/// An unsigned number with x's order: NaN after everything, both zeros equal. 64 bits for 64-bit dtypes, else 32.
MINIMA_HD inline std::uint32_t order_key(std::int32_t x) { return static_cast<std::uint32_t>(x) ^ 0x80000000u; }
MINIMA_HD inline std::uint64_t order_key(std::int64_t x) {
  return static_cast<std::uint64_t>(x) ^ (std::uint64_t{1} << 63);
}
MINIMA_HD inline std::uint32_t order_key(bool x) { return x ? 1u : 0u; }
MINIMA_HD inline std::uint32_t order_key(std::uint8_t x) { return x; }
MINIMA_HD inline std::uint32_t order_key(std::int8_t x) { return order_key(static_cast<std::int32_t>(x)); }
MINIMA_HD inline std::uint32_t order_key(float x) {
  if (x != x) return 0xffffffffu;
  const auto bits = __builtin_bit_cast(std::uint32_t, x == 0 ? 0.0f : x);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}
MINIMA_HD inline std::uint64_t order_key(double x) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  if (x != x) return ~std::uint64_t{0};
  const auto bits = __builtin_bit_cast(std::uint64_t, x == 0 ? 0.0 : x);
  return (bits & sign) != 0 ? ~bits : bits | sign;
}
MINIMA_HD inline std::uint32_t order_key(Float16 x) { return order_key(static_cast<float>(x)); }
MINIMA_HD inline std::uint32_t order_key(BFloat16 x) { return order_key(static_cast<float>(x)); }

}  // namespace minima::sorting
