#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>
#include <string>

// Cells of tables in plain text.

namespace minima {

/// `value` with this many digits after the point.
MINIMA_API std::string fixed(double value, int decimals);
/// `text` filled with spaces to `width` bytes, on its left if `right` aligns it there; what is longer is cut and ends
/// in ~.
MINIMA_API std::string column(std::string text, std::size_t width, bool right = false);
/// The number of terminal columns of UTF-8 text without wide characters.
MINIMA_API std::size_t width_of(const std::string& text);
/// The longest prefix of such a text that fits into `columns`.
MINIMA_API std::string first_columns(const std::string& text, std::size_t columns);

}  // namespace minima
