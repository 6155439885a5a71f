#pragma once

#include <cstdint>

// Environment variables that choose how minima works. One with a value that means nothing is an error, not the default.

namespace minima::detail {

/// The variable's text, null if it is unset or empty.
const char* environment(const char* name);
/// 0 or 1. Throws ValueError: `MINIMA_NO_CACHE=yes: expected 0 or 1`.
bool environment_flag(const char* name, bool otherwise);
/// A number. Throws ValueError: `MINIMA_THREADS=many: expected a number from 1 to 256`.
std::int64_t environment_number(const char* name, std::int64_t otherwise, std::int64_t least, std::int64_t most);

}  // namespace minima::detail
