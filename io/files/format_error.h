#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace minima::detail {

/// Text of another process, user or file, for people: control characters, those of C1 and those that turn the direction
/// of writing included, and bytes that are not UTF-8 are written as `\x1b`, so that they cannot control the terminal.
MINIMA_API std::string printable(std::string_view text);

/// Throws FormatError: `SOURCE: byte AT: WHAT`. `what` may quote the file.
[[noreturn]] MINIMA_API void throw_format_error(const std::string& source, std::uint64_t at, const std::string& what);

}  // namespace minima::detail
