#include <minima/tensor/base/check_option.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace minima::detail {

namespace {

/// Returns the requirement that `value` violates, such as `be finite`.
std::string range_text(const Interval& range, double value) {
  const bool has_infinity = range.has_high && std::isinf(range.high), is_bounded = !std::isinf(range.high);
  if (std::isinf(range.low) && !is_bounded)
    return has_infinity ? "be a number" : range.has_zero ? "be finite" : "be finite and not 0";
  if (is_bounded || range.low != 0)
    return str("be in ", range.has_low ? "[" : "(", range.low, ", ", range.high, range.has_high ? "]" : ")");
  const char* end = has_infinity || std::isfinite(value) ? "" : " and finite";
  return range.has_low ? str(*end ? "be finite and " : "", "not be negative") : str("be positive", end);
}

}  // namespace

void refuse_option(const char* owner, const char* option, double value, const Interval& range) {
  throw ValueError(str(owner, ": ", option, " must ", range_text(range, value), ", got ", value));
}

void refuse_option(const char* owner, const char* option, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (most == INT64_MAX) throw ValueError(str(owner, ": ", option, " must be at least ", least, ", got ", value));
  throw ValueError(str(owner, ": ", option, " must be from ", least, " to ", most, ", got ", value));
}

}  // namespace minima::detail
