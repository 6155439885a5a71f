#pragma once

#include <minima/ops/loops/math/by_double.h>
#include <minima/ops/loops/math/math.h>

#include <cmath>
#include <type_traits>

namespace minima::pointwise::functor {

struct Floor {
  template <class T> MINIMA_HD T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) return x;
    else return math::floor(x);
  }
};
struct Ceil {
  template <class T> MINIMA_HD T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) return x;
    else return -math::floor(-x);
  }
};
struct Round {
  template <class T> MINIMA_HD T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) return x;
    else return math::round(x);
  }
};
struct Trunc {
  template <class T> MINIMA_HD T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) return x;
    else return std::trunc(x);
  }
};
struct Frac {
  template <class T> MINIMA_HD T operator()(T x) const { return x - Trunc{}(x); }
};

struct Fmod {
  static constexpr double cost = 2;
  template <class T> MINIMA_HD T operator()(T a, T b) const {
    // By -1 the remainder is 0, but the processor would trap for the smallest integer.
    if constexpr (std::is_integral_v<T>)
      return std::is_signed_v<T> && b == static_cast<T>(-1) ? T(0) : static_cast<T>(a % b);
    else return std::fmod(a, b);
  }
  template <std::same_as<float> T> static bool fits(T a, T b) { return math::by_double::has_rest(a, b); }
  static float fast(float a, float b) { return math::by_double::rest(a, b); }
};
struct Remainder {
  static constexpr double cost = 2;
  template <class T> MINIMA_HD T operator()(T a, T b) const { return of_rest(Fmod{}(a, b), b); }
  template <std::same_as<float> T> static bool fits(T a, T b) { return math::by_double::has_rest(a, b); }
  static float fast(float a, float b) { return of_rest(math::by_double::rest(a, b), b); }

 private:
  template <class T> MINIMA_HD static T of_rest(T rest, T b) {
    if constexpr (std::is_unsigned_v<T>) return rest;
    else return math::select((rest != T(0)) & ((rest < T(0)) != (b < T(0))), static_cast<T>(rest + b), rest);
  }
};
struct FloorDivide {
  static constexpr double cost = 10;
  template <class T> MINIMA_HD T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      // The smallest integer divided by -1 wraps to itself, as a negation does.
      if (std::is_signed_v<T> && b == static_cast<T>(-1))
        return static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(a));
      const T rest = Fmod{}(a, b), quotient = static_cast<T>(a / b);  // towards 0
      return std::is_signed_v<T> && rest != T(0) && (rest < T(0)) != (b < T(0)) ? static_cast<T>(quotient - T(1))
                                                                                : quotient;
    }
    // Computed from the remainder, since a / b may round up to the next integer. Infinities as in Python.
    else {
      const T rest = Fmod{}(a, b), quotient = (a - rest) / b;
      return b == T(0) ? a / b : math::round(rest != T(0) && (rest < T(0)) != (b < T(0)) ? quotient - T(1) : quotient);
    }
  }
};

}  // namespace minima::pointwise::functor
