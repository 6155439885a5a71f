#pragma once

#include <minima/ops/math/math.h>
#include <minima/tensor/base/loop_pragmas.h>

#include <array>
#include <cstdint>

// Reductions of one line in a fixed, vectorisable order: element i goes to lane i mod 32, lanes are combined pairwise.
// The compiler may not reorder floating-point addition, so the order is spelled out.

namespace minima::detail {

inline constexpr std::int64_t lane_count = 32;
/// After this many elements, the lanes of a sum are flushed into a double, which bounds the rounding error of long
/// lines.
inline constexpr std::int64_t lane_block = 4096;

/// The largest of x[0…n), -inf if empty. May skip NaN.
template <class T>
T lane_max(const T* x, std::int64_t n) {
  T lanes[lane_count];
  for (T& lane : lanes) lane = -math::cpu::Format<T>::infinity;
  std::int64_t i = 0;
  for (; i + lane_count <= n; i += lane_count)
    for (std::int64_t l = 0; l < lane_count; ++l) lanes[l] = x[i + l] > lanes[l] ? x[i + l] : lanes[l];
  for (std::int64_t l = 0; i + l < n; ++l) lanes[l] = x[i + l] > lanes[l] ? x[i + l] : lanes[l];
  for (std::int64_t half = lane_count / 2; half > 0; half /= 2)
    for (std::int64_t l = 0; l < half; ++l) lanes[l] = lanes[l + half] > lanes[l] ? lanes[l + half] : lanes[l];
  return lanes[0];
}

/// The lanes' sum, in pairs.
template <class T>
double fold(T* lanes) {
  for (std::int64_t half = lane_count / 2; half > 0; half /= 2)
    for (std::int64_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  return static_cast<double>(lanes[0]);
}

/// Σ f(i) for i in [0, n). f may also write element i of memory that does not alias what f reads.
template <class T, class F>
double lane_sum(std::int64_t n, const F& f) {
  double total = 0;
  for (std::int64_t begin = 0; begin < n; begin += lane_block) {
    const std::int64_t end = begin + lane_block < n ? begin + lane_block : n;
    T lanes[lane_count] = {};
    std::int64_t i = begin;
    for (; i + lane_count <= end; i += lane_count) {
      MINIMA_IVDEP
      for (std::int64_t l = 0; l < lane_count; ++l) lanes[l] += f(i + l);
    }
    for (std::int64_t l = 0; i + l < end; ++l) lanes[l] += f(i + l);
    total += fold(lanes);
  }
  return total;
}

/// Σ f(i) and Σ g(i) in one pass, each in lane_sum's order.
template <class T, class F, class G>
std::array<double, 2> lane_sums(std::int64_t n, const F& f, const G& g) {
  std::array<double, 2> totals{};
  for (std::int64_t begin = 0; begin < n; begin += lane_block) {
    const std::int64_t end = begin + lane_block < n ? begin + lane_block : n;
    T a[lane_count] = {}, b[lane_count] = {};
    std::int64_t i = begin;
    for (; i + lane_count <= end; i += lane_count) {
      MINIMA_IVDEP
      for (std::int64_t l = 0; l < lane_count; ++l) a[l] += f(i + l), b[l] += g(i + l);
    }
    for (std::int64_t l = 0; i + l < end; ++l) a[l] += f(i + l), b[l] += g(i + l);
    totals[0] += fold(a);
    totals[1] += fold(b);
  }
  return totals;
}

}  // namespace minima::detail
