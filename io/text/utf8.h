#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace minima {

/// The offset of the first byte that is not well-formed UTF-8, or `text.size()`. Overlong forms, surrogates and values
/// above U+10FFFF are malformed.
MINIMA_API std::size_t find_invalid_utf8(std::string_view text);

/// The text with U+FFFD in place of each byte that is not part of well-formed UTF-8.
MINIMA_API std::string with_valid_utf8(std::string_view text);

}  // namespace minima
