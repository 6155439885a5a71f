#pragma once

#include <minima/ops/math/by_double.h>
#include <minima/ops/math/math.h>

#include <cmath>
#include <concepts>

namespace minima::pointwise::functor {

struct Sin {
  static constexpr double cost = 2, flops = 15;
  template <class T> MINIMA_HD T operator()(T x) const { return math::sin(x); }
  template <std::same_as<float> T> static bool fits(T x) { return math::by_double::has_sine(x); }
  static float fast(float x) { return math::by_double::sine(x, 0); }
};
struct Cos {
  static constexpr double cost = 2, flops = 15;
  template <class T> MINIMA_HD T operator()(T x) const { return math::cos(x); }
  template <std::same_as<float> T> static bool fits(T x) { return math::by_double::has_sine(x); }
  static float fast(float x) { return math::by_double::sine(x, 1); }
};
struct Tanh {
  static constexpr double cost = 1.2, flops = 4;
  template <class T> MINIMA_HD T operator()(T x) const { return math::tanh(x); }
};
struct TanhGradient {
  static constexpr double flops = 3;
  template <class T> MINIMA_HD T operator()(T g, T y) const { return g * (T(1) - y * y); }
};

/// The C library's function; on CUDA the compiler's of the same name. On the CPU its loop stays scalar.
#define MINIMA_LIBRARY_FUNCTION(Name, function)                                       \
  struct Name {                                                                       \
    static constexpr double cost = 10;                                                \
    template <class T> MINIMA_HD T operator()(T x) const { return std::function(x); } \
  };
MINIMA_LIBRARY_FUNCTION(Tan, tan)
MINIMA_LIBRARY_FUNCTION(Asin, asin)
MINIMA_LIBRARY_FUNCTION(Acos, acos)
MINIMA_LIBRARY_FUNCTION(Atan, atan)
MINIMA_LIBRARY_FUNCTION(Sinh, sinh)
MINIMA_LIBRARY_FUNCTION(Cosh, cosh)
MINIMA_LIBRARY_FUNCTION(Asinh, asinh)
MINIMA_LIBRARY_FUNCTION(Acosh, acosh)
MINIMA_LIBRARY_FUNCTION(Atanh, atanh)
#undef MINIMA_LIBRARY_FUNCTION

struct Atan2 {
  static constexpr double cost = 15;
  template <class T> MINIMA_HD T operator()(T y, T x) const { return std::atan2(y, x); }
};
}  // namespace minima::pointwise::functor
