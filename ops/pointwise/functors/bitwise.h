#pragma once

#include <minima/ops/math/math.h>

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

}  // namespace minima::pointwise::functor
