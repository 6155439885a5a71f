#pragma once

#include <minima/ops/loops/math/math.h>

// The losses of single elements, from a prediction x and its target t, each followed by its derivative with respect to
// x times the incoming gradient.

namespace minima::pointwise::functor {

struct SquaredError {
  static constexpr double flops = 2;
  template <class T> MINIMA_HD T operator()(T x, T t) const { return (x - t) * (x - t); }
};
struct SquaredErrorGradient {
  static constexpr double flops = 3;
  template <class T> MINIMA_HD T operator()(T g, T x, T t) const { return g * T(2) * (x - t); }
};

struct AbsoluteError {
  static constexpr double flops = 2;
  template <class T> MINIMA_HD T operator()(T x, T t) const { return math::abs(x - t); }
};
struct AbsoluteErrorGradient {
  static constexpr double flops = 3;
  template <class T> MINIMA_HD T operator()(T g, T x, T t) const { return g * math::sign(x - t); }
};

/// Quadratic up to `corner`, then linear, with slope `slope`: huber_loss has slope = corner, smooth_l1_loss slope = 1.
struct HuberLoss {
  static constexpr double flops = 5;
  double corner = 1, slope = 1;
  template <class T> MINIMA_HD T operator()(T x, T t) const {
    const T size = math::abs(x - t);
    const T inside = T(0.5 * slope / corner) * size * size;
    return size <= T(corner) ? inside : T(slope) * (size - T(0.5 * corner));
  }
};
struct HuberLossGradient {
  static constexpr double flops = 5;
  double corner = 1, slope = 1;
  template <class T> MINIMA_HD T operator()(T g, T x, T t) const {
    const T z = x - t;
    const T inside = T(slope / corner) * z;
    return g * (math::abs(z) > T(corner) ? T(slope) * math::sign(z) : inside);
  }
};

/// -t·log s - (1 - t)·log(1 - s) with s = sigmoid(x), without overflow.
struct BceWithLogits {
  static constexpr double cost = 2.5, flops = 8;
  template <class T> MINIMA_HD T operator()(T x, T t) const {
    return x * (x > T(0) ? T(1) - t : -t) + math::log1p(math::exp(-math::abs(x)));
  }
};
struct BceWithLogitsGradient {
  static constexpr double cost = 1.5, flops = 6;
  template <class T> MINIMA_HD T operator()(T g, T x, T t) const { return g * (math::sigmoid(x) - t); }
};

/// -t·log p - (1 - t)·log(1 - p); logarithms are clamped at -100, so a confident wrong prediction costs 100. NaN where
/// p or t is outside [0, 1].
struct Bce {
  static constexpr double cost = 3, flops = 8;
  template <class T> MINIMA_HD T operator()(T p, T t) const {
    const T yes = math::log(p), no = math::log1p(-p);
    if (!(t >= T(0)) || !(t <= T(1))) return T(0) / (t - t);
    return (t - T(1)) * (no < T(-100) ? T(-100) : no) - t * (yes < T(-100) ? T(-100) : yes);
  }
};
struct BceGradient {
  static constexpr double flops = 5;
  template <class T> MINIMA_HD T operator()(T g, T p, T t) const {
    const T width = (T(1) - p) * p;
    return g * (p - t) / (width < T(1e-12) ? T(1e-12) : width);
  }
};

/// t·(log t - x), 0 where t is 0.
struct KlDivergence {
  static constexpr double cost = 1.5, flops = 4;
  template <class T> MINIMA_HD T operator()(T x, T t) const {
    const T entropy = t == T(0) ? T(0) : t * math::log(t);
    return entropy - t * x;
  }
};

/// The same for a target that is a logarithm.
struct KlDivergenceOfLogs {
  static constexpr double cost = 1, flops = 4;
  template <class T> MINIMA_HD T operator()(T x, T t) const { return math::exp(t) * (t - x); }
};

}  // namespace minima::pointwise::functor
