#include <minima/io/files/format_error.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace minima::detail {

std::string printable(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) shown += c;
    else shown += str("\\x", "0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15u]);
  }
  return shown;
}

void throw_format_error(const std::string& source, std::uint64_t at, const std::string& what) {
  throw FormatError(str(source, ": byte ", at, ": ", printable(what)));
}

}  // namespace minima::detail
