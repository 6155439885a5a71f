#pragma once

#include <minima/ops/loops/lines/wrapping.h>
#include <minima/ops/math/by_double.h>
#include <minima/ops/math/math.h>
#include <minima/tensor/base/scalar.h>

#include <concepts>

namespace minima::pointwise::functor {

struct Exp {
  static constexpr double cost = 1;
  template <class T> MINIMA_HD T operator()(T x) const { return math::exp(x); }
};
struct Expm1 {
  static constexpr double cost = 1.5;
  template <class T> MINIMA_HD T operator()(T x) const { return math::expm1(x); }
};
struct Log {
  static constexpr double cost = 1;
  template <class T> MINIMA_HD T operator()(T x) const { return math::log(x); }
};
struct Log1p {
  static constexpr double cost = 1.5;
  template <class T> MINIMA_HD T operator()(T x) const { return math::log1p(x); }
};
struct Sqrt {
  static constexpr double cost = 0.5;
  template <class T> MINIMA_HD T operator()(T x) const { return math::sqrt(x); }
};
struct Rsqrt {
  static constexpr double cost = 0.7;
  template <class T> MINIMA_HD T operator()(T x) const { return math::rsqrt(x); }
};
struct Erf {
  static constexpr double cost = 1.5;
  template <class T> MINIMA_HD T operator()(T x) const { return math::erf(x); }
};
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
struct Abs {
  template <class T> MINIMA_HD T operator()(T x) const { return math::abs(x); }
};
struct Sign {
  template <class T> MINIMA_HD T operator()(T x) const {
    if constexpr (std::is_unsigned_v<T>) return x != 0;
    else return math::sign(x);
  }
};
struct Square {
  template <class T> MINIMA_HD T operator()(T x) const { return wrapping::multiply(x, x); }
};
struct Pow {
  static constexpr double cost = 4, flops = 30;
  template <class T> MINIMA_HD T operator()(T x, T y) const { return math::pow(x, y); }
  template <std::same_as<float> T> static bool fits(T x, T y) { return math::by_double::has_power(x, y); }
  static float fast(float x, float y) { return math::by_double::power(x, y); }
};
struct PowScalar {
  static constexpr double cost = 4, flops = 30;
  Scalar value = 1;
  template <class T> MINIMA_HD T operator()(T x) const { return math::pow(x, value.to<T>()); }
  template <std::same_as<float> T> bool fits(T x) const { return math::by_double::has_power(x, value.to<T>()); }
  float fast(float x) const { return math::by_double::power(x, value.to<float>()); }
};

}  // namespace minima::pointwise::functor
