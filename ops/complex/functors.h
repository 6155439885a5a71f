#pragma once

#include <minima/tensor/base/complex.h>

#include <cmath>
#include <complex>

namespace minima::pointwise::functor {

struct ComplexAdd {
  static constexpr double flops = 2;
  template <class T> T operator()(T a, T b) const { return a + b; }
};
struct ComplexSub {
  static constexpr double flops = 2;
  template <class T> T operator()(T a, T b) const { return a - b; }
};
struct ComplexMul {
  static constexpr double flops = 6;
  template <class T> T operator()(T a, T b) const { return a * b; }
};
/// Smith's algorithm: scaled, so that |b|² neither overflows nor vanishes.
struct ComplexDiv {
  static constexpr double flops = 12, cost = 3;
  template <class T> T operator()(T a, T b) const {
    if (std::fabs(b.re) >= std::fabs(b.im)) {
      if (b.re == 0 && b.im == 0) return {a.re / b.re, a.im / b.re};
      const auto ratio = b.im / b.re, scale = 1 / (b.re + b.im * ratio);
      return {(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
    }
    const auto ratio = b.re / b.im, scale = 1 / (b.re * ratio + b.im);
    return {(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
  }
};
struct ComplexNeg {
  template <class T> T operator()(T x) const { return -x; }
};
struct ComplexConj {
  template <class T> T operator()(T x) const { return {x.re, -x.im}; }
};
struct ComplexEqual {
  template <class T> bool operator()(T a, T b) const { return a == b; }
};
struct ComplexNotEqual {
  template <class T> bool operator()(T a, T b) const { return !(a == b); }
};
struct ComplexAbs {
  static constexpr double flops = 4, cost = 3;
  template <class T> typename T::Value operator()(T x) const { return std::hypot(x.re, x.im); }
};

/// The standard library's function of a complex number.
template <auto function>
struct ComplexFunction {
  static constexpr double flops = 20, cost = 40;
  template <class T> T operator()(T x) const { return function(std::complex<typename T::Value>(x.re, x.im)); }
};

}  // namespace minima::pointwise::functor
