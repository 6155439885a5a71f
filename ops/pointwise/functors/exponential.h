#pragma once

#include <minima/ops/loops/math/by_double.h>
#include <minima/ops/loops/math/math.h>
#include <minima/tensor/base/scalar.h>

#include <cmath>
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
/// The root of a square that rounding may have made negative: 0 then.
struct RootOfSquare {
  static constexpr double cost = 0.5;
  template <class T> MINIMA_HD T operator()(T x) const { return x <= T(0) ? T(0) : math::sqrt(x); }
};
struct Rsqrt {
  static constexpr double cost = 0.7;
  template <class T> MINIMA_HD T operator()(T x) const { return math::rsqrt(x); }
};
struct Erf {
  static constexpr double cost = 1.5;
  template <class T> MINIMA_HD T operator()(T x) const { return math::erf(x); }
};
/// The C library's function; on CUDA the compiler's of the same name. On the CPU its loop stays scalar.
#define MINIMA_LIBRARY_FUNCTION(Name, function)                                       \
  struct Name {                                                                       \
    static constexpr double cost = 10;                                                \
    template <class T> MINIMA_HD T operator()(T x) const { return std::function(x); } \
  };
MINIMA_LIBRARY_FUNCTION(Erfc, erfc)
MINIMA_LIBRARY_FUNCTION(Exp2, exp2)
MINIMA_LIBRARY_FUNCTION(Log2, log2)
MINIMA_LIBRARY_FUNCTION(Log10, log10)
#undef MINIMA_LIBRARY_FUNCTION

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
/// x·log(y), 0 where x is 0 and y is not NaN.
struct Xlogy {
  static constexpr double cost = 1.5, flops = 20;
  template <class T> MINIMA_HD T operator()(T x, T y) const {
    return math::blend(x == 0 && y == y, T(0), x * math::log(y));
  }
};
struct LogAddExp {
  static constexpr double cost = 2.5, flops = 6;
  template <class T> MINIMA_HD T operator()(T a, T b) const {
    const T larger = a > b ? a : b, gap = math::abs(a - b);
    // Equal infinities have no gap; NaN is neither larger nor smaller and comes through the sum.
    return a == b ? a + T(0.69314718055994531) : larger + math::log1p(math::exp(-gap));
  }
};

/// m with x = m·2ᵉ and ½ ≤ |m| < 1; zeros, infinities and NaN stay.
struct FrexpMantissa {
  static constexpr double cost = 4;
  template <class T> MINIMA_HD T operator()(T x) const {
    int exponent = 0;
    return math::isfinite(x) ? std::frexp(x, &exponent) : x;
  }
};

/// e of the same, 0 for zeros, infinities and NaN.
struct FrexpExponent {
  static constexpr double cost = 4;
  template <class T> MINIMA_HD T operator()(T x) const {
    int exponent = 0;
    if (math::isfinite(x)) std::frexp(x, &exponent);
    return static_cast<T>(exponent);
  }
};

/// -x·log(x); 0 at 0 and -∞ below.
struct Entr {
  static constexpr double flops = 20;
  template <class T> MINIMA_HD T operator()(T x) const {
    const T inside = -x * math::log(x);
    return math::select(x > 0 || x != x, inside, x == 0 ? T(0) : -std::numeric_limits<T>::infinity());
  }
};

/// x·log(1 + y), 0 where x is 0 and y is not NaN.
struct Xlog1py {
  static constexpr double flops = 20;
  template <class T> MINIMA_HD T operator()(T x, T y) const {
    const T product = x * math::log1p(y);
    return x == 0 && y == y ? T(0) : product;
  }
};

}  // namespace minima::pointwise::functor
