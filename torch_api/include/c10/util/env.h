#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace c10::utils {

inline void set_env(const char* name, const char* value, bool overwrite = true) { ::setenv(name, value, overwrite); }
inline std::optional<std::string> get_env(const char* name) noexcept {
  const char* const value = std::getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}
inline bool has_env(const char* name) noexcept { return std::getenv(name) != nullptr; }
/// True for "1", false for "0"; else unset.
inline std::optional<bool> check_env(const char* name) {
  const auto value = get_env(name);
  if (value == "1") return true;
  if (value == "0") return false;
  return std::nullopt;
}

}  // namespace c10::utils
