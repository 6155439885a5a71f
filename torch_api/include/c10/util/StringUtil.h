#pragma once

#include <cstddef>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace c10 {

/// Where a check or a warning stands in the source.
struct SourceLocation {
  const char* function;
  const char* file;
  std::uint32_t line;
};
std::ostream& operator<<(std::ostream& out, const SourceLocation& location);

namespace detail {

std::string StripBasename(const std::string& full_path);
std::string ExcludeFileExtension(const std::string& full_path);

template <class... Args>
std::string write_all(const Args&... args) {
  std::ostringstream out;
  (out << ... << args);
  return out.str();
}

}  // namespace detail

/// All arguments written one after the other with operator<<.
template <class... Args>
std::string str(const Args&... args) {
  return detail::write_all(args...);
}
inline std::string str() { return {}; }
inline std::string str(const std::string& text) { return text; }
inline std::string str(const char* text) { return text; }

template <class Container>
std::string Join(const std::string& delimiter, const Container& items) {
  std::ostringstream out;
  std::size_t left = items.size();
  for (const auto& item : items) out << item << (--left ? delimiter : "");
  return out.str();
}

std::size_t ReplaceAll(std::string& text, std::string_view from, std::string_view to);

}  // namespace c10

namespace torch {
using c10::Join;
using c10::str;
}  // namespace torch
