#pragma once

#include <minima/tensor/base/api.h>

#include <string_view>

namespace minima::detail {

/// Whether the whole name matches: `*` stands for any characters, dots included, and `?` for one.
MINIMA_API bool matches_pattern(std::string_view pattern, std::string_view name);

}  // namespace minima::detail
