#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <limits>

// Checks of options. A structure of options has numbers that users write, so NaN, infinities and sizes out of range
// reach every layer; the errors are the same everywhere: `Dropout: p must be in [0, 1], got nan`.

namespace minima::detail {

/// The numbers from `low` to `high` that an option may have. NaN is in none.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool has_low = false;  ///< includes `low`
  bool has_high = false;
  bool has_zero = true;

  constexpr bool contains(double value) const {
    return (has_low ? value >= low : value > low) && (has_high ? value <= high : value < high) &&
           (has_zero || value != 0);
  }
};

inline constexpr Interval any_number{.has_low = true, .has_high = true};  ///< ±∞, too
inline constexpr Interval finite{};
inline constexpr Interval finite_not_zero{.has_zero = false};
inline constexpr Interval positive{.low = 0};                       ///< and finite
inline constexpr Interval not_negative{.low = 0, .has_low = true};  ///< and finite
inline constexpr Interval fraction{.low = 0, .high = 1, .has_low = true, .has_high = true};

/// low ≤ value ≤ high.
constexpr Interval from_to(double low, double high) {
  return {.low = low, .high = high, .has_low = true, .has_high = true};
}
/// low ≤ value < high.
constexpr Interval from_below(double low, double high) { return {.low = low, .high = high, .has_low = true}; }
/// low < value < high.
constexpr Interval between(double low, double high) { return {.low = low, .high = high}; }

[[noreturn]] MINIMA_API void refuse_option(const char* owner, const char* option, double value, const Interval& range);
[[noreturn]] MINIMA_API void refuse_option(const char* owner, const char* option, std::int64_t value,
                                           std::int64_t least, std::int64_t most);

/// Throws ValueError, which names the option of the layer, operator or class `owner`, unless the value is in range.
inline void check_number(const char* owner, const char* option, double value, const Interval& range) {
  if (!range.contains(value)) refuse_option(owner, option, value, range);
}
/// Throws ValueError unless least ≤ value ≤ most.
inline void check_count(const char* owner, const char* option, std::int64_t value, std::int64_t least,
                        std::int64_t most = INT64_MAX) {
  if (value < least || value > most) refuse_option(owner, option, value, least, most);
}

}  // namespace minima::detail
