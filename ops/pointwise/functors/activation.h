#pragma once

#include <minima/ops/math/math.h>
#include <minima/ops/math/normal_distribution.h>

// Each activation beside its derivative times the incoming gradient.

namespace minima::pointwise::functor {

struct Relu {
  template <class T> MINIMA_HD T operator()(T x) const {
    if constexpr (std::is_unsigned_v<T>) return x;
    else return x < T(0) ? T(0) : x;
  }
};
/// By the output, which is positive where the input was. NaN passes it on.
struct ReluGradient {
  template <class T> MINIMA_HD T operator()(T g, T y) const { return y <= T(0) ? T(0) : g; }
};

struct Gelu {
  static constexpr double cost = 1.5, flops = 8;
  template <class T> MINIMA_HD T operator()(T x) const { return x * math::normal(x).cumulative; }
};
struct GeluGradient {
  static constexpr double cost = 2, flops = 14;
  template <class T> MINIMA_HD T operator()(T g, T x) const {
    const auto [density, cumulative] = math::normal(x);
    return g * (cumulative + x * density);
  }
};

struct GeluTanh {
  static constexpr double cost = 1.5, flops = 10;
  template <class T> MINIMA_HD T operator()(T x) const {
    // (1 + tanh(u)) / 2 is sigmoid(2u): an exponential and a division less work than tanh, and exact far below 0.
    const T twice = T(2 * 0.79788456080286536) * (x + T(0.044715) * x * x * x);
    return x / (T(1) + math::exp(-twice));
  }
};
struct GeluTanhGradient {
  static constexpr double cost = 2, flops = 18;
  template <class T> MINIMA_HD T operator()(T g, T x) const {
    // Beyond ±100 s is 1 or 0 exactly; an infinite square would make NaN of the product with 0.
    constexpr double twice = 2 * 0.79788456080286536;
    const T square = x * x < T(1e4) ? x * x : T(1e4);
    const T s = math::sigmoid(x * (T(twice) + T(twice * 0.044715) * square));
    return g * (s + s * (T(1) - s) * x * (T(twice) + T(twice * 0.134145) * square));
  }
};

struct Sigmoid {
  static constexpr double cost = 1.2, flops = 4;
  template <class T> MINIMA_HD T operator()(T x) const { return math::sigmoid(x); }
};
struct SigmoidGradient {
  static constexpr double flops = 3;
  template <class T> MINIMA_HD T operator()(T g, T y) const { return g * (T(1) - y) * y; }
};

struct Tanh {
  static constexpr double cost = 1.2, flops = 4;
  template <class T> MINIMA_HD T operator()(T x) const { return math::tanh(x); }
};
struct TanhGradient {
  static constexpr double flops = 3;
  template <class T> MINIMA_HD T operator()(T g, T y) const { return g * (T(1) - y * y); }
};

struct Silu {
  static constexpr double cost = 1.2, flops = 5;
  template <class T> MINIMA_HD T operator()(T x) const { return x / (T(1) + math::exp(-x)); }
};
struct SiluGradient {
  static constexpr double cost = 1.5, flops = 8;
  template <class T> MINIMA_HD T operator()(T g, T x) const {
    const T s = math::sigmoid(x);
    return g * s * (T(1) + x * (T(1) - s));
  }
};

}  // namespace minima::pointwise::functor
