#pragma once

#include <minima/ops/math/math.h>
#include <minima/ops/pointwise/functors/activation.h>

#include <utility>

// Batch norm on CUDA: functors for elements and for the channels' sums.

namespace minima::pointwise::functor {

/// y; scale is rstd · weight.
struct NormalizeChannel {
  template <class T> MINIMA_HD T operator()(T x, T mean, T scale, T shift) const { return (x - mean) * scale + shift; }
};

/// The same followed by relu, with an optional residual before it.
struct NormalizeChannelRelu {
  template <class T> MINIMA_HD T operator()(T x, T mean, T scale, T shift) const {
    return Relu{}(NormalizeChannel{}(x, mean, scale, shift));
  }
};
struct NormalizeChannelAddRelu {
  template <class T> MINIMA_HD T operator()(T x, T residual, T mean, T scale, T shift) const {
    return Relu{}(NormalizeChannel{}(x, mean, scale, shift) + residual);
  }
};

/// dx as a linear function of g and x with one set of coefficients per channel.
struct NormalizeChannelGradient {
  template <class T> MINIMA_HD T operator()(T g, T x, T mean, T of_g, T of_x, T constant) const {
    return of_g * g + of_x * (x - mean) + constant;
  }
};

}  // namespace minima::pointwise::functor

namespace minima::reduction {

/// Mean and biased variance. Accumulated in double, so that E[x²] - E[x]² keeps float's precision.
struct Moments {
  struct State {
    double sum, squares;
  };
  double count;
  MINIMA_HD State identity() const { return {0, 0}; }
  MINIMA_HD State element(double x) const { return {x, x * x}; }
  MINIMA_HD State combine(State a, State b) const { return {a.sum + b.sum, a.squares + b.squares}; }
  MINIMA_HD std::pair<double, double> finish(State s) const {
    const double mean = s.sum / count, var = s.squares / count - mean * mean;
    return {mean, var > 0 ? var : var == var ? 0 : var};
  }
};

/// Σ g and Σ g · x of two tensors with the same layout.
struct SumAndDot {
  struct Element {
    double g, x;
  };
  struct State {
    double sum, dot;
  };
  MINIMA_HD State identity() const { return {0, 0}; }
  MINIMA_HD State element(Element e) const { return {e.g, e.g * e.x}; }
  MINIMA_HD State combine(State a, State b) const { return {a.sum + b.sum, a.dot + b.dot}; }
  MINIMA_HD std::pair<double, double> finish(State s) const { return {s.sum, s.dot}; }
};

}  // namespace minima::reduction
