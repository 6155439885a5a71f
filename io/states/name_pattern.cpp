#include <minima/io/states/name_pattern.h>

#include <cstddef>
#include <string_view>

namespace minima::detail {

bool matches_pattern(std::string_view pattern, std::string_view name) {
  // After a mismatch the last star takes one more character.
  constexpr std::size_t none = std::string_view::npos;
  std::size_t p = 0, n = 0, star = none, mark = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != none) {
      p = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace minima::detail
