#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace minima::detail {

/// Escapes control characters as `\x1b`, so that a file's content cannot control the terminal.
MINIMA_API std::string printable(std::string_view text);

/// Throws FormatError: `SOURCE: byte AT: WHAT`. `what` may quote the file.
[[noreturn]] MINIMA_API void throw_format_error(const std::string& source, std::uint64_t at, const std::string& what);

}  // namespace minima::detail
