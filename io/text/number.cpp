#include <minima/io/text/number.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <system_error>

namespace minima {

namespace {

/// Whether the decimal number, which no double is near to, is too large rather than too small.
bool is_large(std::string_view digits) {
  const std::size_t e = std::min(digits.find_first_of("eE"), digits.size());
  const std::string_view mantissa = digits.substr(0, e);
  const std::size_t first = mantissa.find_first_of("123456789");
  const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  const std::int64_t places = point - static_cast<std::int64_t>(first);
  std::string_view exponent = digits.substr(std::min(e + 1, digits.size()));
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  std::int64_t power = 0;
  if (std::from_chars(exponent.data(), exponent.data() + exponent.size(), power).ec == std::errc::result_out_of_range)
    return !exponent.starts_with('-');
  power = std::clamp<std::int64_t>(power, -(std::int64_t{1} << 60), std::int64_t{1} << 60);
  return places + power > 0;
}

}  // namespace

bool read_float64(std::string_view text, double& value) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text[0] == '-' || text.back() == ')') return false;  // from_chars takes nan(…)
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range) value = is_large(text) ? std::numeric_limits<double>::infinity() : 0;
  if (negative) value = -value;
  return true;
}

}  // namespace minima
