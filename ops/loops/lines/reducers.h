#pragma once

#include <minima/ops/loops/lines/wrapping.h>
#include <minima/ops/loops/math/math.h>

#include <cstdint>
#include <limits>
#include <utility>

// Functors for ops/loops/lines/reduce_loop.h and, on CUDA, ops/reduce/reduce.cuh. `T` is the element type; a sum is
// accumulated and returned in `State`.

namespace minima::reduction {

/// Σ x; 0 if empty.
template <class T, class S = T> struct Sum {
  using State = S;
  MINIMA_HD State identity() const { return 0; }
  MINIMA_HD State element(T x) const { return static_cast<S>(x); }
  MINIMA_HD State combine(State a, State b) const { return wrapping::add(a, b); }
  MINIMA_HD S finish(State s) const { return s; }
};

/// Σ x without NaN.
template <class T> struct NanSum : Sum<T> {
  MINIMA_HD T element(T x) const { return math::blend(math::isnan(x), T(0), x); }
};

/// Σ x / count
template <class T> struct Mean : Sum<T> {
  T count;
  explicit Mean(std::int64_t count) : count(static_cast<T>(count)) {}
  MINIMA_HD T finish(T s) const { return s / count; }
};

/// Σ x² / divisor or its root, in double: a square may be out of T's range although the result is not.
template <class T> struct MeanSquare : Sum<T, double> {
  double divisor;
  bool root;
  MeanSquare(double divisor, bool root) : divisor(divisor), root(root) {}
  MINIMA_HD double element(T x) const { return static_cast<double>(x) * static_cast<double>(x); }
  MINIMA_HD T finish(double s) const { return static_cast<T>(root ? math::sqrt(s / divisor) : s / divisor); }
};

/// Π x; 1 if empty.
template <class T, class S = T> struct Product {
  using State = S;
  MINIMA_HD State identity() const { return 1; }
  MINIMA_HD State element(T x) const { return static_cast<S>(x); }
  MINIMA_HD State combine(State a, State b) const { return wrapping::multiply(a, b); }
  MINIMA_HD S finish(State s) const { return s; }
};

struct All {
  using State = bool;
  MINIMA_HD State identity() const { return true; }
  MINIMA_HD State element(bool x) const { return x; }
  MINIMA_HD State combine(State a, State b) const { return a & b; }
  MINIMA_HD bool finish(State s) const { return s; }
};

struct Any {
  using State = bool;
  MINIMA_HD State identity() const { return false; }
  MINIMA_HD State element(bool x) const { return x; }
  MINIMA_HD State combine(State a, State b) const { return a | b; }
  MINIMA_HD bool finish(State s) const { return s; }
};

namespace detail {

/// The identity: the infinity that every value beats, or an integer's limit.
template <class T, bool largest> MINIMA_HD constexpr T worst() {
  using L = std::numeric_limits<T>;
  if constexpr (L::has_infinity) return largest ? -L::infinity() : L::infinity();
  else return largest ? L::lowest() : L::max();
}

}  // namespace detail

/// The largest (or smallest) value; NaN if any is.
template <class T, bool largest> struct Extreme {
  using State = T;
  MINIMA_HD State identity() const { return detail::worst<T, largest>(); }
  MINIMA_HD State element(T x) const { return x; }
  MINIMA_HD State combine(State a, State b) const {
    const T further = (largest ? a > b : a < b) ? a : b;  // b if either is NaN
    return math::isnan(a) ? a : further;
  }
  MINIMA_HD T finish(State s) const { return s; }
};
template <class T> using Max = Extreme<T, true>;
template <class T> using Min = Extreme<T, false>;

/// The largest (or smallest) value and the index of its first occurrence; the first NaN wins over all.
template <class T, bool largest> struct ExtremeWithIndex {
  struct State {
    T value;
    std::int64_t index;
  };
  static constexpr double cost = 1;
  MINIMA_HD State identity() const { return {detail::worst<T, largest>(), std::numeric_limits<std::int64_t>::max()}; }
  MINIMA_HD State element(T x, std::int64_t index) const { return {x, index}; }
  MINIMA_HD State combine(State a, State b) const {
    const bool a_is_nan = math::isnan(a.value), b_is_nan = math::isnan(b.value), b_wins = wins(b.value, a.value);
    const bool equal = (a.value == b.value) | (a_is_nan & b_is_nan);
    const bool take = b_wins | (equal & (b.index < a.index));
    return {take ? b.value : a.value, take ? b.index : a.index};
  }
  /// Whether b replaces an earlier a: combine for two elements, for loops that keep values and indices separately.
  static MINIMA_HD bool wins(T b, T a) {
    const bool beaten = largest ? b > a : b < a;
    const bool a_is_nan = math::isnan(a), b_is_nan = math::isnan(b);
    return (beaten | b_is_nan) & !a_is_nan;
  }
  /// combine(s, element(x, index)) if all indices before were smaller, but that the worst value keeps no index.
  MINIMA_HD void append(State& s, T x, std::int64_t index) const {
    if (wins(x, s.value)) s = {x, index};
  }
  /// Where nothing is better than the worst, the first of all is.
  static MINIMA_HD std::int64_t index_of(State s) {
    return s.index == std::numeric_limits<std::int64_t>::max() ? 0 : s.index;
  }
  MINIMA_HD std::pair<T, std::int64_t> finish(State s) const { return {s.value, index_of(s)}; }
};
template <class T> using MaxWithIndex = ExtremeWithIndex<T, true>;
template <class T> using MinWithIndex = ExtremeWithIndex<T, false>;

/// Only the index.
template <class T, bool largest> struct ExtremeIndex : ExtremeWithIndex<T, largest> {
  MINIMA_HD std::int64_t finish(typename ExtremeWithIndex<T, largest>::State s) const {
    return ExtremeWithIndex<T, largest>::index_of(s);
  }
};
template <class T> using ArgMax = ExtremeIndex<T, true>;
template <class T> using ArgMin = ExtremeIndex<T, false>;

}  // namespace minima::reduction
