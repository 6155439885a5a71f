#pragma once

#include <minima/tensor/base/api.h>

#include <optional>
#include <string>

namespace minima::detail {

/// The content of a file whose size is not known beforehand, such as one of /proc or a pipe; none if it cannot be read.
/// The descriptor is close-on-exec, which std::ifstream's is not: programs that other threads start don't inherit it.
MINIMA_API std::optional<std::string> read_to_end(const std::string& path);

}  // namespace minima::detail
