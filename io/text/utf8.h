#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>
#include <string_view>

namespace minima {

/// The offset of the first byte that is not well-formed UTF-8 (overlong forms, surrogates and values above U+10FFFF
/// are not), or `text.size()`.
MINIMA_API std::size_t find_invalid_utf8(std::string_view text);

}  // namespace minima
