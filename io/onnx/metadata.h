#pragma once

#include <cstddef>
#include <set>
#include <string>

// minima notes these metadata in the files that it writes. Internal.

namespace minima::onnx::detail {

/// The names of buffers, one a line; other initializers are parameters.
inline constexpr const char* buffers_key = "minima.buffers";

inline std::set<std::string> lines_of(const std::string& text) {
  std::set<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.insert(text.substr(at, end - at));
    if (end == std::string::npos) break;
    at = end + 1;
  }
  return lines;
}

}  // namespace minima::onnx::detail
