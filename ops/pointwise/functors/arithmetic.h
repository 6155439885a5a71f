#pragma once

#include <minima/ops/loops/lines/wrapping.h>
#include <minima/ops/loops/math/math.h>
#include <minima/tensor/base/scalar.h>

#include <limits>

// For bool, addition and multiplication are the logical or and and.

namespace minima::pointwise::functor {

struct Add {
  static constexpr bool mixes = true;  ///< float32 with a half type is common: residual connections under autocast
  template <class T> MINIMA_HD T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) return a || b;
    else return wrapping::add(a, b);
  }
};
struct Sub {
  template <class T> MINIMA_HD T operator()(T a, T b) const { return wrapping::subtract(a, b); }
};
struct Mul {
  template <class T> MINIMA_HD T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) return a && b;
    else return wrapping::multiply(a, b);
  }
};
struct Div {
  template <class T> MINIMA_HD T operator()(T a, T b) const { return a / b; }
};
struct Neg {
  template <class T> MINIMA_HD T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) return wrapping::subtract(T(0), x);
    else return -x;
  }
};
/// NaN if either is: the comparison alone, one vector instruction, gives b if a is NaN.
struct Maximum {
  template <class T> MINIMA_HD T operator()(T a, T b) const { return math::blend(math::isnan(a), a, a > b ? a : b); }
};
struct Minimum {
  template <class T> MINIMA_HD T operator()(T a, T b) const { return math::blend(math::isnan(a), a, a < b ? a : b); }
};

/// condition ? a : b
struct Where {
  static constexpr bool condition_first = true;
  template <class T> MINIMA_HD T operator()(bool condition, T a, T b) const { return math::blend(condition, a, b); }
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
struct Reciprocal {
  template <class T> MINIMA_HD T operator()(T x) const { return T(1) / x; }
};
/// Exact at weight 0 and 1, as PyTorch's.
struct Lerp {
  static constexpr double flops = 3;
  double weight = 0;
  template <class T> MINIMA_HD T operator()(T start, T end) const {
    const T w = static_cast<T>(weight), step = end - start;
    return weight < 0.5 && weight > -0.5 ? start + w * step : end - step * (T(1) - w);
  }
};

/// NaN and the infinities replaced.
struct NanToNum {
  double nan = 0, infinity = 0, minus_infinity = 0;
  template <class T> MINIMA_HD T operator()(T x) const {
    constexpr T limit = std::numeric_limits<T>::infinity();
    const T below = math::blend(x == -limit, static_cast<T>(minus_infinity), x);
    const T number = math::blend(x == limit, static_cast<T>(infinity), below);
    return math::blend(math::isnan(x), static_cast<T>(nan), number);
  }
};
/// x + value·a·b
struct Addcmul {
  static constexpr double flops = 3;
  double value = 1;
  template <class T> MINIMA_HD T operator()(T x, T a, T b) const { return x + static_cast<T>(value) * a * b; }
};

/// x + value·a / b
struct Addcdiv {
  static constexpr double flops = 3;
  double value = 1;
  template <class T> MINIMA_HD T operator()(T x, T a, T b) const { return x + static_cast<T>(value) * (a / b); }
};

struct AddScalar {
  Scalar value = 0;
  template <class T> MINIMA_HD T operator()(T x) const { return wrapping::add(x, value.to<T>()); }
};
struct MulScalar {
  Scalar value = 1;
  template <class T> MINIMA_HD T operator()(T x) const { return wrapping::multiply(x, value.to<T>()); }
};
struct DivScalar {
  Scalar value = 1;
  template <class T> MINIMA_HD T operator()(T x) const { return x / value.to<T>(); }
};
struct ScalarSub {
  Scalar value = 0;
  template <class T> MINIMA_HD T operator()(T x) const { return wrapping::subtract(value.to<T>(), x); }
};
struct ScalarDiv {
  Scalar value = 1;
  template <class T> MINIMA_HD T operator()(T x) const { return value.to<T>() / x; }
};
struct Fill {
  Scalar value = 0;
  template <class T> MINIMA_HD T operator()(T) const { return value.to<T>(); }
};
/// T must hold both bounds. NaN stays NaN.
struct Clamp {
  Scalar low = 0, high = 0;
  template <class T> MINIMA_HD T operator()(T x) const {
    const T least = low.to<T>(), most = high.to<T>();
    const T raised = x < least ? least : x;
    return raised > most ? most : raised;
  }
};

}  // namespace minima::pointwise::functor
