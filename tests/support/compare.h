#pragma once

#include "tests/support/doubles.h"

#include <string>

// Tolerances, in one place, and comparisons that explain their failures.

namespace minima::test {

/// Close means |got - expected| ≤ absolute + relative · |expected|.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
  Tolerance scaled(double factor) const { return {relative * factor, absolute * factor}; }
  /// The default for results of this dtype: float64 1e-7, float32 1.3e-6/1e-5, float16 1e-3/1e-5, bfloat16 1.6e-2/1e-5;
  /// other dtypes are exact.
  static Tolerance of(DType dtype);
};

/// The distance from 1 to the next larger number.
double epsilon_of(DType dtype);
/// x as stored in this dtype: rounded to nearest even, wrapped, or converted to bool.
double rounded(double x, DType dtype);

/// Use as EXPECT_TRUE(c) << c.message. The message has the number of mismatches and the worst of them with its index.
struct Comparison {
  bool ok = true;
  std::string message;
  explicit operator bool() const { return ok; }
};

/// NaN equals NaN, and infinities of the same sign are equal. Integers and bool are first converted by `rounded`.
Comparison compare(const Tensor& got, const Doubles& expected, Tolerance tolerance);
/// The same with a tolerance per element, in row-major order.
Comparison compare(const Tensor& got, const Doubles& expected, const std::vector<double>& allowed);
Comparison compare(const Tensor& got, const Tensor& expected, Tolerance tolerance);
/// Shape, dtype and every bit of every element.
Comparison compare_bitwise(const Tensor& got, const Tensor& expected);

}  // namespace minima::test
