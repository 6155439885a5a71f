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

/// Mean and biased variance of numbers of type T. A thread sums x - s and its square in T, where s is the first of its
/// numbers, so neither precision nor speed depends on double; threads are combined in double (Chan, Golub and LeVeque
/// 1983).
template <class T>
struct Moments {
  struct Local {
    T shift, sum, squares, count;
  };
  struct State {
    double mean, squares, count;  ///< squares of the deviations from the mean
  };
  MINIMA_HD Local start() const { return {0, 0, 0, 0}; }
  MINIMA_HD void add(Local& l, T x) const {
    if (l.count == 0) l.shift = x;
    const T distance = x - l.shift;
    l.sum += distance;
    l.squares += distance * distance;
    l.count += 1;
  }
  MINIMA_HD State settle(const Local& l) const {
    if (l.count == 0) return identity();
    const auto sum = static_cast<double>(l.sum), count = static_cast<double>(l.count), level = sum / count;
    const double squares = static_cast<double>(l.squares) - sum * level;
    return {static_cast<double>(l.shift) + level, squares < 0 ? 0 : squares, count};
  }
  MINIMA_HD State identity() const { return {0, 0, 0}; }
  MINIMA_HD State combine(const State& a, const State& b) const {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const double count = a.count + b.count, share = b.count / count, distance = b.mean - a.mean;
    return {a.mean + distance * share, a.squares + b.squares + distance * distance * a.count * share, count};
  }
  MINIMA_HD std::pair<double, double> finish(const State& s) const { return {s.mean, s.squares / s.count}; }
};

/// Σ g and Σ g · (x - mean) of two tensors with the same layout; summed in T by each thread, then in double.
template <class T>
struct SumAndDot {
  struct Element {
    T g, x;  ///< x is centred
  };
  struct Local {
    T sum, dot;
  };
  struct State {
    double sum, dot;
  };
  MINIMA_HD Local start() const { return {0, 0}; }
  MINIMA_HD void add(Local& l, Element e) const {
    l.sum += e.g;
    l.dot += e.g * e.x;
  }
  MINIMA_HD State settle(const Local& l) const { return {static_cast<double>(l.sum), static_cast<double>(l.dot)}; }
  MINIMA_HD State identity() const { return {0, 0}; }
  MINIMA_HD State combine(const State& a, const State& b) const { return {a.sum + b.sum, a.dot + b.dot}; }
  MINIMA_HD std::pair<double, double> finish(const State& s) const { return {s.sum, s.dot}; }
};

}  // namespace minima::reduction
