#pragma once

#include <minima/tensor/base/api.h>

#include <string_view>

namespace minima {

/// Reads a whole text as the nearest float64, in any locale: ±infinity above the range and ±0 below it, as Python's
/// float and strtod do. Also `inf`, `infinity` and `nan` in any case, with a sign or none. False for anything else,
/// such as spaces or two signs.
MINIMA_API bool read_float64(std::string_view text, double& value);

}  // namespace minima
