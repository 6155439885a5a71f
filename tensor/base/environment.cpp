#include <minima/tensor/base/environment.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace minima::detail {

const char* environment(const char* name) {
  const char* const text = std::getenv(name);
  return text && *text ? text : nullptr;
}

bool environment_flag(const char* name, bool default_value) {
  const char* const text = environment(name);
  if (!text) return default_value;
  if (std::strcmp(text, "0") == 0) return false;
  if (std::strcmp(text, "1") == 0) return true;
  throw ValueError(str(name, "=", text, ": expected 0 or 1"));
}

std::int64_t environment_number(const char* name, std::int64_t default_value, std::int64_t least, std::int64_t most) {
  const char* const text = environment(name);
  if (!text) return default_value;
  const char* const end = text + std::strlen(text);
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stop != end || value < least || value > most)
    throw ValueError(str(name, "=", text, ": expected a number from ", least, " to ", most));
  return value;
}

}  // namespace minima::detail
