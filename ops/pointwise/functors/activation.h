#pragma once

#include <minima/ops/loops/math/math.h>
#include <minima/ops/loops/math/normal_distribution.h>

// Each activation, followed by its derivative times the incoming gradient.

namespace minima::pointwise::functor {

struct Relu {
  template <class T> MINIMA_HD T operator()(T x) const {
    if constexpr (std::is_unsigned_v<T>) return x;
    else return x < T(0) ? T(0) : x;
  }
};
/// From the output: the gradient passes where that is not zero, and at NaN.
struct ReluGradient {
  template <class T> MINIMA_HD T operator()(T g, T y) const { return y == T(0) ? T(0) : g; }
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
    // (1 + tanh(u)) / 2 is sigmoid(2u), which saves an exponential and a division and stays accurate far below 0.
    const T twice = T(2 * 0.79788456080286536) * (x + T(0.044715) * x * x * x);
    return x / (T(1) + math::exp(-twice));
  }
};
struct GeluTanhGradient {
  static constexpr double cost = 2, flops = 18;
  template <class T> MINIMA_HD T operator()(T g, T x) const {
    // Beyond ±100, s is exactly 1 or 0; an infinite square times 0 would be NaN.
    constexpr double twice = 2 * 0.79788456080286536;
    const T square = x * x < T(1e4) ? x * x : T(1e4);
    const T s = T(1) / (T(1) + math::exp(-x * (T(twice) + T(twice * 0.044715) * square)));  // as in GeluTanh
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

/// A gated linear unit, of its two halves.
struct Glu {
  static constexpr double cost = 1.3, flops = 5;
  template <class T> MINIMA_HD T operator()(T a, T b) const { return a * math::sigmoid(b); }
};
/// With respect to the gate b, of the result y.
struct GluGradient {
  static constexpr double cost = 1.3, flops = 7;
  template <class T> MINIMA_HD T operator()(T g, T y, T b) const { return g * y * math::sigmoid(-b); }
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

/// silu(gate) · x, a gated linear unit whose gate and values are two tensors.
struct Swiglu {
  static constexpr double cost = 1.3, flops = 6;
  template <class T> MINIMA_HD T operator()(T gate, T x) const { return Silu{}(gate)*x; }
};
/// With respect to the gate.
struct SwigluGradient {
  static constexpr double cost = 1.6, flops = 9;
  template <class T> MINIMA_HD T operator()(T g, T gate, T x) const { return SiluGradient{}(g, gate) * x; }
};

struct LeakyRelu {
  double slope = 0;
  template <class T> MINIMA_HD T operator()(T x) const { return x > T(0) ? x : x * T(slope); }
};
struct LeakyReluGradient {
  double slope = 0;
  template <class T> MINIMA_HD T operator()(T g, T x) const { return x > T(0) ? g : g * T(slope); }
};

/// scale · x above 0, scale · alpha · (exp(rate · x) - 1) below: elu, selu and celu.
struct Elu {
  static constexpr double cost = 1.5, flops = 4;
  double alpha = 1, scale = 1, rate = 1;
  template <class T> MINIMA_HD T operator()(T x) const {
    // Both branches are computed; above 0 the exponential must not overflow.
    const T below = T(alpha * scale) * math::expm1(math::select(x > T(0), T(0), x * T(rate)));
    return math::select(x > T(0), x * T(scale), below);
  }
};
struct EluGradient {
  static constexpr double cost = 1.5, flops = 5;
  double alpha = 1, scale = 1, rate = 1;
  template <class T> MINIMA_HD T operator()(T g, T x) const {
    const T below = T(alpha * scale * rate) * math::exp(math::select(x > T(0), T(0), x * T(rate)));
    return g * math::select(x > T(0), T(scale), below);
  }
};

struct Softplus {
  static constexpr double cost = 2.5, flops = 6;
  double beta = 1, threshold = 20;
  template <class T> MINIMA_HD T operator()(T x) const {
    const T z = x * T(beta);
    const bool linear = z > T(threshold);
    return math::select(linear, x, math::log1p(math::exp(math::select(linear, T(0), z))) / T(beta));
  }
};
struct SoftplusGradient {
  static constexpr double cost = 1.5, flops = 5;
  double beta = 1, threshold = 20;
  template <class T> MINIMA_HD T operator()(T g, T x) const {
    const T z = x * T(beta);
    return z > T(threshold) ? g : g * math::sigmoid(z);
  }
};

struct Mish {
  static constexpr double cost = 3.5, flops = 8;
  template <class T> MINIMA_HD T operator()(T x) const { return x * math::tanh(Softplus{}(x)); }
};
struct MishGradient {
  static constexpr double cost = 5, flops = 16;
  template <class T> MINIMA_HD T operator()(T g, T x) const {
    const T th = math::tanh(Softplus{}(x));
    return g * (th + x * (T(1) - th * th) * math::sigmoid(x));
  }
};

struct Hardswish {
  static constexpr double flops = 5;
  template <class T> MINIMA_HD T operator()(T x) const {
    const T shifted = x + T(3), low = shifted < T(0) ? T(0) : shifted;
    return x * (low > T(6) ? T(6) : low) / T(6);
  }
};
struct HardswishGradient {
  static constexpr double flops = 5;
  template <class T> MINIMA_HD T operator()(T g, T x) const {
    const T inside = x >= T(3) ? g : g * (x / T(3) + T(0.5));
    return x <= T(-3) ? T(0) : inside;
  }
};

struct Hardsigmoid {
  static constexpr double flops = 4;
  template <class T> MINIMA_HD T operator()(T x) const {
    const T shifted = x + T(3), low = shifted < T(0) ? T(0) : shifted;
    return (low > T(6) ? T(6) : low) / T(6);
  }
};
struct HardsigmoidGradient {
  static constexpr double flops = 3;
  template <class T> MINIMA_HD T operator()(T g, T x) const { return x > T(-3) && x < T(3) ? g / T(6) : T(0); }
};

struct Hardtanh {
  double low = -1, high = 1;
  template <class T> MINIMA_HD T operator()(T x) const {
    const T raised = x < T(low) ? T(low) : x;
    return raised > T(high) ? T(high) : raised;
  }
};
struct HardtanhGradient {
  double low = -1, high = 1;
  template <class T> MINIMA_HD T operator()(T g, T x) const { return x > T(low) && x < T(high) ? g : T(0); }
};

struct ReluSquared {
  static constexpr double flops = 2;
  template <class T> MINIMA_HD T operator()(T x) const { return x < T(0) ? T(0) : x * x; }
};
struct ReluSquaredGradient {
  static constexpr double flops = 3;
  template <class T> MINIMA_HD T operator()(T g, T x) const { return x < T(0) ? T(0) : T(2) * g * x; }
};

struct Softsign {
  static constexpr double flops = 3;
  template <class T> MINIMA_HD T operator()(T x) const { return x / (T(1) + math::abs(x)); }
};
struct SoftsignGradient {
  static constexpr double flops = 4;
  template <class T> MINIMA_HD T operator()(T g, T x) const {
    const T wide = T(1) + math::abs(x);
    return g / (wide * wide);
  }
};

struct LogSigmoid {
  static constexpr double cost = 2.5, flops = 6;
  template <class T> MINIMA_HD T operator()(T x) const {
    return (x < T(0) ? x : T(0)) - math::log1p(math::exp(-math::abs(x)));
  }
};
struct LogSigmoidGradient {
  static constexpr double cost = 1.5, flops = 5;
  template <class T> MINIMA_HD T operator()(T g, T x) const { return g * math::sigmoid(-x); }
};

struct Hardshrink {
  double lambda = 0.5;
  template <class T> MINIMA_HD T operator()(T x) const { return x >= T(-lambda) && x <= T(lambda) ? T(0) : x; }
};
struct HardshrinkGradient {
  double lambda = 0.5;
  template <class T> MINIMA_HD T operator()(T g, T x) const { return x < T(-lambda) || x > T(lambda) ? g : T(0); }
};
struct Softshrink {
  double lambda = 0.5;
  template <class T> MINIMA_HD T operator()(T x) const {
    const T below = x < T(-lambda) ? x + T(lambda) : x * T(0);  // NaN stays NaN
    return x > T(lambda) ? x - T(lambda) : below;
  }
};

}  // namespace minima::pointwise::functor
