#pragma once

#include <minima/tensor/base/dtype.h>

#include <cstdint>
#include <type_traits>

namespace minima::detail {

/// x truncated towards zero and clamped to the range of To; 0 for NaN. 8-bit types get the low bits of an int32.
template <class To, class From>
MINIMA_HD constexpr To truncated(From x) {
  using Wide = std::conditional_t<sizeof(To) == 8, std::int64_t, std::int32_t>;
  constexpr Wide highest = sizeof(To) == 8 ? static_cast<Wide>(INT64_MAX) : INT32_MAX, lowest = -highest - 1;
  constexpr From low = static_cast<From>(lowest), beyond = -low;
  const Wide inside = static_cast<Wide>(x >= low && x < beyond ? x : From(0));
  const Wide limited = x >= beyond ? highest : x < low ? lowest : inside;
  return static_cast<To>(limited);
}

/// The conversion that every cast uses, on every device. Half types go through float; to bool means `!= 0`. Floating
/// point to integer truncates and saturates at int32's range (int64's for int64); NaN becomes 0. Integer to integer
/// keeps the low bits, as in PyTorch: in uint8, 300 becomes 44 and -1 becomes 255. Complex to real, which no public
/// cast does, takes the real part.
template <class To, class From>
MINIMA_HD constexpr To convert(From value) {
  if constexpr (std::is_same_v<To, From>) return value;
  else if constexpr (is_complex_type<From> && is_complex_type<To>) return To(value);
  else if constexpr (is_complex_type<From>) return convert<To>(value.re);
  else if constexpr (is_complex_type<To>) return To(convert<typename To::Value>(value));
  else if constexpr (std::is_same_v<To, bool>) return static_cast<bool>(value != From(0));
  else if constexpr (std::is_same_v<From, Float16> || std::is_same_v<From, BFloat16>)
    return convert<To>(static_cast<float>(value));
  else if constexpr (std::is_same_v<To, Float16> || std::is_same_v<To, BFloat16>) return To(static_cast<float>(value));
  else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) return truncated<To>(value);
  else return static_cast<To>(value);
}

}  // namespace minima::detail
