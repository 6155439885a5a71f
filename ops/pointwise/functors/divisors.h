#pragma once

#include <minima/ops/loops/math/math.h>

#include <cstdint>
#include <type_traits>

namespace minima::pointwise::functor {

/// Euclid's algorithm; that of 0 and 0 is 0. The most negative number has no absolute value and counts as itself.
struct Gcd {
  static constexpr double cost = 20, flops = 20;
  template <class T> MINIMA_HD T operator()(T a, T b) const {
    auto x = static_cast<std::make_unsigned_t<T>>(math::abs(a)), y = static_cast<std::make_unsigned_t<T>>(math::abs(b));
    while (y != 0) {
      const auto rest = static_cast<decltype(x)>(x % y);
      x = y;
      y = rest;
    }
    return static_cast<T>(x);
  }
};

struct Lcm {
  static constexpr double cost = 20, flops = 24;
  template <class T> MINIMA_HD T operator()(T a, T b) const {
    using Bits = std::make_unsigned_t<T>;
    const auto divisor = static_cast<Bits>(Gcd()(a, b));
    if (divisor == 0) return 0;
    const auto quotient = static_cast<Bits>(static_cast<Bits>(math::abs(a)) / divisor);
    return static_cast<T>(static_cast<Bits>(std::uint64_t{quotient} * static_cast<Bits>(math::abs(b))));
  }
};

}  // namespace minima::pointwise::functor
