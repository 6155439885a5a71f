#pragma once

#include <minima/ops/loops/math/math.h>
#include <minima/tensor/base/scalar.h>

namespace minima::pointwise::functor {

struct Equal {
  template <class T> MINIMA_HD bool operator()(T a, T b) const { return a == b; }
};
struct NotEqual {
  template <class T> MINIMA_HD bool operator()(T a, T b) const { return a != b; }
};
struct Less {
  template <class T> MINIMA_HD bool operator()(T a, T b) const { return a < b; }
};
struct LessEqual {
  template <class T> MINIMA_HD bool operator()(T a, T b) const { return a <= b; }
};
struct Greater {
  template <class T> MINIMA_HD bool operator()(T a, T b) const { return a > b; }
};
struct GreaterEqual {
  template <class T> MINIMA_HD bool operator()(T a, T b) const { return a >= b; }
};
struct And {
  template <class T> MINIMA_HD bool operator()(T a, T b) const { return a != T(0) && b != T(0); }
};
struct Or {
  template <class T> MINIMA_HD bool operator()(T a, T b) const { return a != T(0) || b != T(0); }
};
struct Not {
  template <class T> MINIMA_HD bool operator()(T x) const { return x == T(0); }
};
struct IsNan {
  template <class T> MINIMA_HD bool operator()(T x) const { return math::isnan(x); }
};
struct IsFinite {
  template <class T> MINIMA_HD bool operator()(T x) const {
    if constexpr (math::is_real<T>) return math::isfinite(x);
    else return true;
  }
};

}  // namespace minima::pointwise::functor
