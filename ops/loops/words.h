#pragma once

#include <minima/tensor/base/error.h>

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
    case 8: return f(std::uint64_t{});
    default: throw DTypeError("complex128 elements cannot be moved by this operator on this device");
  }
}

struct WideWord {
  std::uint64_t low = 0, high = 0;
  WideWord() = default;
  constexpr explicit WideWord(std::uint64_t low) : low(low) {}
};

/// The same for code that moves complex128, too.
template <class F>
void with_any_word(std::size_t element_size, F&& f) {
  if (element_size == sizeof(WideWord)) f(WideWord());
  else with_word(element_size, f);
}

}  // namespace minima::detail
