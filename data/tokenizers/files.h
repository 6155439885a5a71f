#pragma once

#include <minima/tensor/base/api.h>

#include <string>
#include <vector>

namespace minima::data::detail {

/// The files that a pattern names, sorted: `*`, `?` and `[…]` in the last part of the path. Throws FileError, as `op`,
/// if there is none.
std::vector<std::string> files_matching(const char* op, const std::string& pattern);

}  // namespace minima::data::detail
