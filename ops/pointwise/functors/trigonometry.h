#pragma once

#include <minima/ops/math/math.h>

#include <cmath>

// The C library's functions; on CUDA the compiler's of the same names. Their loops stay scalar on the CPU.

namespace minima::pointwise::functor {

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
MINIMA_LIBRARY_FUNCTION(Exp2, exp2)
MINIMA_LIBRARY_FUNCTION(Log2, log2)
MINIMA_LIBRARY_FUNCTION(Log10, log10)
MINIMA_LIBRARY_FUNCTION(Erfc, erfc)
#undef MINIMA_LIBRARY_FUNCTION

struct Reciprocal {
  template <class T> MINIMA_HD T operator()(T x) const { return T(1) / x; }
};
struct Atan2 {
  static constexpr double cost = 15;
  template <class T> MINIMA_HD T operator()(T y, T x) const { return std::atan2(y, x); }
};
struct LogAddExp {
  static constexpr double cost = 2.5, flops = 6;
  template <class T> MINIMA_HD T operator()(T a, T b) const {
    const T larger = a > b ? a : b, gap = math::abs(a - b);
    // Equal infinities have no gap; NaN is neither larger nor smaller and comes through the sum.
    return a == b ? a + T(0.69314718055994531) : larger + math::log1p(math::exp(-gap));
  }
};

}  // namespace minima::pointwise::functor
