#pragma once

#include <cstddef>
#include <cstdint>

namespace minima::detail {

/// Calls f with an unsigned integer as wide as an element, for code that moves elements of any type.
template <class F>
void with_word(std::size_t element_size, F&& f) {
  switch (element_size) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}

}  // namespace minima::detail
