#pragma once

#include <minima/ops/math/math.h>

// Each function beside its derivative times the incoming gradient.

namespace minima::pointwise::functor {

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
