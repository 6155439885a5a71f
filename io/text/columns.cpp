#include <minima/io/text/columns.h>

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

}  // namespace minima
