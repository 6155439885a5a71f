#pragma once

#include <cstdint>

// Environment variables that configure minima. An invalid value is an error; it does not fall back to the default.

namespace minima::detail {

/// The variable's text, null if it is unset or empty.
const char* environment(const char* name);
/// A flag, 0 or 1. Throws ValueError: `MINIMA_NO_CACHE=yes: expected 0 or 1`.
bool environment_flag(const char* name, bool default_value);
/// A number. Throws ValueError: `MINIMA_THREADS=many: expected a number from 1 to 256`.
std::int64_t environment_number(const char* name, std::int64_t default_value, std::int64_t least, std::int64_t most);

}  // namespace minima::detail
