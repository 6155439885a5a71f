#pragma once

#include <minima/ops/loops/math/by_double.h>
#include <minima/ops/loops/math/math.h>

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
  static float fast(float x) { return math::by_double::sine(x, 0.5); }
};
struct Tanh {
  static constexpr double cost = 1.2, flops = 4;
  template <class T> MINIMA_HD T operator()(T x) const { return math::tanh(x); }
};
struct TanhGradient {
  static constexpr double flops = 3;
  template <class T> MINIMA_HD T operator()(T g, T y) const { return g * (T(1) - y * y); }
};

/// The C library's function; on CUDA the compiler's of the same name. `fast` is its vectorised form for float on the
/// CPU, for arguments x that satisfy `condition`.
#define MINIMA_LIBRARY_FUNCTION(Name, function, condition, by)                        \
  struct Name {                                                                       \
    static constexpr double cost = 2;                                                 \
    template <class T> MINIMA_HD T operator()(T x) const { return std::function(x); } \
    template <std::same_as<float> T> static bool fits(T x) { return condition; }      \
    static float fast(float x) { return math::by_double::by; }                        \
  };
MINIMA_LIBRARY_FUNCTION(Tan, tan, math::by_double::has_sine(x), tangent(x))
MINIMA_LIBRARY_FUNCTION(Asin, asin, math::abs(x) <= 1, angle(x, math::cpu::sqrt((1 - double{x}) * (1 + double{x}))))
MINIMA_LIBRARY_FUNCTION(Acos, acos, math::abs(x) <= 1, angle(math::cpu::sqrt((1 - double{x}) * (1 + double{x})), x))
MINIMA_LIBRARY_FUNCTION(Atan, atan, math::isfinite(x), angle(x, 1))
MINIMA_LIBRARY_FUNCTION(Sinh, sinh, math::abs(x) < 100, hyperbolic_sine(x))
MINIMA_LIBRARY_FUNCTION(Cosh, cosh, math::abs(x) < 100, hyperbolic_cosine(x))
MINIMA_LIBRARY_FUNCTION(Asinh, asinh, math::isfinite(x), area_sine(x))
MINIMA_LIBRARY_FUNCTION(Acosh, acosh, (x >= 1) & math::isfinite(x), area_cosine(x))
MINIMA_LIBRARY_FUNCTION(Atanh, atanh, math::abs(x) < 1, area_tangent(x))
#undef MINIMA_LIBRARY_FUNCTION

struct Atan2 {
  static constexpr double cost = 3;
  template <class T> MINIMA_HD T operator()(T y, T x) const { return std::atan2(y, x); }
  template <std::same_as<float> T> static bool fits(T y, T x) { return math::by_double::has_angle(y, x); }
  static float fast(float y, float x) { return math::by_double::angle(y, x); }
};
}  // namespace minima::pointwise::functor
