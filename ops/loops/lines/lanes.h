#pragma once

#include <minima/ops/loops/math/math.h>
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

/// Nothing added yet: -0, the neutral element. Of +0, g++ would make a `rep stos`, slower than adding 100 elements.
template <class T>
void clear(T (&lanes)[lane_count]) {
  for (T& lane : lanes) lane = T(-0.0);
}

/// The lanes' sum, in pairs.
template <class T>
double fold(T* lanes) {
  for (std::int64_t half = lane_count / 2; half > 0; half /= 2)
    for (std::int64_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  return static_cast<double>(lanes[0]);
}

inline constexpr auto nothing_ahead = [](std::int64_t) {};

/// Σ f(i) for i in [0, n). f may also write element i of memory that does not alias what f reads. Calls ahead(i) before
/// elements i … i + lane_count, as for_cache_lines does.
template <class T, class F, class Ahead = decltype(nothing_ahead)>
double lane_sum(std::int64_t n, const F& f, const Ahead& ahead = nothing_ahead) {
  double total = 0;
  for (std::int64_t begin = 0; begin < n; begin += lane_block) {
    const std::int64_t end = begin + lane_block < n ? begin + lane_block : n;
    T lanes[lane_count];
    clear(lanes);
    std::int64_t i = begin;
    for (; i + lane_count <= end; i += lane_count) {
      ahead(i);
      MINIMA_IVDEP
      for (std::int64_t l = 0; l < lane_count; ++l) lanes[l] += f(i + l);
    }
    for (std::int64_t l = 0; i + l < end; ++l) lanes[l] += f(i + l);
    total += fold(lanes);
  }
  return total;
}

/// Calls f(i) for i in [0, n), a cache line of T at a time, before each of which it calls ahead(i): to request memory
/// of the next line while this one is computed. The processor's own prefetching ends with the page, often within the
/// line.
template <class T, class Ahead, class F>
void for_cache_lines(std::int64_t n, const Ahead& ahead, const F& f) {
  constexpr auto width = static_cast<std::int64_t>(64 / sizeof(T));
  std::int64_t i = 0;
  for (; i + width <= n; i += width) {
    ahead(i);
    MINIMA_IVDEP
    for (std::int64_t k = 0; k < width; ++k) f(i + k);
  }
  for (; i < n; ++i) f(i);
}

/// Σ f(i) and Σ g(i) in one pass, each in lane_sum's order.
template <class T, class F, class G>
std::array<double, 2> lane_sums(std::int64_t n, const F& f, const G& g) {
  std::array<double, 2> totals{};
  for (std::int64_t begin = 0; begin < n; begin += lane_block) {
    const std::int64_t end = begin + lane_block < n ? begin + lane_block : n;
    T a[lane_count], b[lane_count];
    clear(a);
    clear(b);
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
