#pragma once

#include <minima/ops/loops/math/math.h>

#include <cmath>
#include <concepts>
#include <type_traits>

namespace minima::pointwise::functor {

struct Hypot {
  static constexpr double cost = 1, flops = 4;
  template <class T> MINIMA_HD T operator()(T a, T b) const { return std::hypot(a, b); }
  template <std::same_as<float> T> static bool fits(T a, T b) {
    const bool finite = math::isfinite(a);
    return finite & math::isfinite(b);
  }
  static float fast(float a, float b) {
    return static_cast<float>(math::sqrt(double{a} * double{a} + double{b} * double{b}));
  }
};

struct CopySign {
  template <class T> MINIMA_HD T operator()(T a, T b) const { return std::copysign(a, b); }
};

struct SignBit {
  template <class T> MINIMA_HD bool operator()(T x) const {
    if constexpr (math::is_real<T>) return std::signbit(x);
    else if constexpr (std::is_unsigned_v<T>) return false;
    else return x < 0;
  }
};

struct NextAfter {
  static constexpr double cost = 4;
  template <class T> MINIMA_HD T operator()(T a, T b) const { return std::nextafter(a, b); }
};

}  // namespace minima::pointwise::functor
