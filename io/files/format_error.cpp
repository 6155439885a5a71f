#include <minima/io/files/format_error.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace minima::detail {

namespace {

/// The bytes of the character of UTF-8 that `text` begins with, if it may be printed; else 0.
std::size_t printable_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  std::uint32_t code = first & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0u) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  const bool overlong = code < (bytes == 4 ? 0x10000u : bytes == 3 ? 0x800u : 0x80u);
  const bool surrogate = code >= 0xd800 && code < 0xe000, control = code < 0xa0;
  const bool directs = (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
                       (code >= 0x2066 && code <= 0x2069) || code == 0x61c;
  return overlong || surrogate || control || directs || code > 0x10ffff ? 0 : bytes;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    if (const std::size_t bytes = printable_bytes(text)) {
      shown += text.substr(0, bytes);
      text.remove_prefix(bytes);
      continue;
    }
    const auto byte = static_cast<unsigned char>(text[0]);
    shown += str("\\x", "0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15u]);
    text.remove_prefix(1);
  }
  return shown;
}

void throw_format_error(const std::string& source, std::uint64_t at, const std::string& what) {
  throw FormatError(str(printable(source), ": byte ", at, ": ", printable(what)));
}

}  // namespace minima::detail
