#pragma once

#include <minima/ops/math.h>
#include <minima/tensor/scalar.h>

namespace minima::functor {

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
  static constexpr double cost = 10;
  template <class T> MINIMA_HD T operator()(T x) const { return math::sin(x); }
};
struct Cos {
  static constexpr double cost = 10;
  template <class T> MINIMA_HD T operator()(T x) const { return math::cos(x); }
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
  template <class T> MINIMA_HD T operator()(T x) const { return static_cast<T>(x * x); }
};
struct Pow {
  static constexpr double cost = 20;
  template <class T> MINIMA_HD T operator()(T x, T y) const { return math::pow(x, y); }
};
struct PowScalar {
  static constexpr double cost = 20;
  Scalar value = 1;
  template <class T> MINIMA_HD T operator()(T x) const { return math::pow(x, value.to<T>()); }
};

}  // namespace minima::functor
