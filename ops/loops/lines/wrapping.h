#pragma once

#include <minima/tensor/base/api.h>

#include <type_traits>

// Arithmetic for kernels of any number type: integers wrap around at the ends of their range, as in PyTorch and on
// every device, where C++ alone leaves signed ones undefined.

namespace minima::wrapping {

namespace detail {
template <class T, bool integral> struct BitsOf {
  using type = T;
};
template <class T> struct BitsOf<T, true> {
  using type = std::make_unsigned_t<T>;
};
}  // namespace detail

/// T, or the unsigned integer of its size.
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
