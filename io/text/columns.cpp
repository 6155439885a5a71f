#include <minima/io/text/columns.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>

namespace minima {

std::string fixed(double value, int decimals) {
  std::array<char, 400> text{};  // 10³⁰⁸ has 309 digits
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

std::string column(std::string text, std::size_t width, bool right) {
  if (text.size() > width) {
    text.resize(width - 1);
    text += '~';
  }
  text.insert(right ? 0 : text.size(), width - text.size(), ' ');
  return text;
}

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string first_columns(const std::string& text, std::size_t columns) {
  std::size_t end = 0, width = 0;
  for (; end < text.size(); ++end)
    if ((text[end] & 0xC0) != 0x80 && ++width > columns) break;
  return text.substr(0, end);
}

}  // namespace minima
