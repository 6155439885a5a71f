#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima::profiler {

/// Summarises a tensor's values.
struct ValueRange {
  std::string spec;            ///< `float32 [8, 16]`
  double least = 0, most = 0;  ///< of the finite elements; 0 if there are none
  std::int64_t nans = 0, infinities = 0, elements = 0;

  bool is_finite() const { return nans == 0 && infinities == 0; }
  /// `float32 [8, 16] in [-1.5, 2], 3 NaN, 1 Inf`
  MINIMA_API std::string text() const;
};
MINIMA_API ValueRange range_of(const Tensor& x);

namespace detail {

/// The elements in row-major order. Runs no operator, so nothing that watches the thread notices.
MINIMA_API std::vector<double> values_of(const Tensor& x);

/// Four significant digits.
MINIMA_API std::string digits(double value);

/// How far apart two lists of values are.
struct Distance {
  double absolute = 0;     ///< the largest difference; infinite if one is finite and the other is not
  double scale = 0;        ///< the largest finite absolute value of the first
  std::int64_t place = 0;  ///< of the largest difference
};
/// The lists have the same length. NaN equals NaN, and an infinity itself.
MINIMA_API Distance distance(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace detail

}  // namespace minima::profiler
