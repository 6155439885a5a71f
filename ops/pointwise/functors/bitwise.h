#pragma once

#include <minima/ops/loops/math/math.h>

#include <cstdint>
#include <type_traits>

namespace minima::pointwise::functor {

struct BitAnd {
  template <class T> MINIMA_HD T operator()(T a, T b) const { return static_cast<T>(a & b); }
};
struct BitOr {
  template <class T> MINIMA_HD T operator()(T a, T b) const { return static_cast<T>(a | b); }
};
struct BitXor {
  template <class T> MINIMA_HD T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};
struct BitNot {
  template <class T> MINIMA_HD T operator()(T x) const {
    if constexpr (std::is_same_v<T, bool>) return !x;
    else return static_cast<T>(~x);
  }
};

struct ShiftLeft {
  template <class T> MINIMA_HD T operator()(T a, T b) const {
    using Bits = std::make_unsigned_t<T>;
    const bool is_inside = b >= 0 && static_cast<Bits>(b) < 8 * sizeof(T);
    return is_inside ? static_cast<T>(static_cast<std::uint64_t>(static_cast<Bits>(a)) << b) : T(0);
  }
};
struct ShiftRight {
  template <class T> MINIMA_HD T operator()(T a, T b) const {
    const bool is_inside = b >= 0 && static_cast<std::make_unsigned_t<T>>(b) < 8 * sizeof(T);
    return is_inside ? static_cast<T>(a >> b) : static_cast<T>(a < 0 ? -1 : 0);
  }
};

}  // namespace minima::pointwise::functor
