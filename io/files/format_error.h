#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace minima::detail {

/// Control characters become `\x1b`: what a file holds must not steer the terminal that shows it.
MINIMA_API std::string printable(std::string_view text);

/// Throws FormatError: `SOURCE: byte AT: WHAT`, which may quote the file.
[[noreturn]] MINIMA_API void throw_format_error(const std::string& source, std::uint64_t at, const std::string& what);

}  // namespace minima::detail
