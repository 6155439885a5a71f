#pragma once

#include <minima/tensor/base/api.h>

#include <type_traits>

// Arithmetic for kernels of any number type. Integers wrap around, as in PyTorch and on every device; in C++, signed
// overflow is undefined.

namespace minima::wrapping {

namespace detail {
template <class T, bool integral> struct BitsOf {
  using type = T;
};
template <class T> struct BitsOf<T, true> {
  using type = std::make_unsigned_t<T>;
};
}  // namespace detail

/// T, or the unsigned integer of the same size.
template <class T> using Bits = typename detail::BitsOf<T, std::is_integral_v<T>>::type;

template <class T> MINIMA_HD constexpr T add(T a, T b) {
  return static_cast<T>(static_cast<Bits<T>>(a) + static_cast<Bits<T>>(b));
}
template <class T> MINIMA_HD constexpr T subtract(T a, T b) {
  return static_cast<T>(static_cast<Bits<T>>(a) - static_cast<Bits<T>>(b));
}
template <class T> MINIMA_HD constexpr T multiply(T a, T b) {
  return static_cast<T>(static_cast<Bits<T>>(a) * static_cast<Bits<T>>(b));
}

}  // namespace minima::wrapping
