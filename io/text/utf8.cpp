#include <minima/io/text/utf8.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace minima {

namespace {

/// The length of the sequence at `text[at]`, or 0 if it is malformed. The second byte's range depends on the first,
/// which excludes overlong forms, surrogates and values that are too large (Unicode standard, table 3-7).
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  if (first < 0xE0) return follows(1) ? 2 : 0;
  if (first < 0xF0) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : 0xBF;
    return follows(1, low, high) && follows(2) ? 3 : 0;
  }
  if (first > 0xF4) return 0;
  const unsigned low = first == 0xF0 ? 0x90 : 0x80;
  const unsigned high = first == 0xF4 ? 0x8F : 0xBF;
  return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
}

}  // namespace

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t eight;
    if (at + sizeof eight <= text.size()) {  // most text is ASCII
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if ((eight & 0x8080808080808080u) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    const std::size_t length = sequence_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return at;
}

std::string with_valid_utf8(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t good = find_invalid_utf8(text);
    out += text.substr(0, good);
    if (good == text.size()) return out;
    out += "\xEF\xBF\xBD";
    text.remove_prefix(good + 1);
  }
}

}  // namespace minima
