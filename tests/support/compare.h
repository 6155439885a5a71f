#pragma once

#include "tests/support/doubles.h"

#include <string>

// How close is close, in one place, and comparisons that explain.

namespace minima::test {

/// Close means |got - expected| ≤ absolute + relative · |expected|.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
  Tolerance scaled(double factor) const { return {relative * factor, absolute * factor}; }
  /// What a result of this dtype is held to: float64 1e-7, float32 1.3e-6/1e-5, float16 1e-3/1e-5, bfloat16
  /// 1.6e-2/1e-5; other dtypes are exact.
  static Tolerance of(DType dtype);
};

/// The distance from 1 to the next number.
double epsilon_of(DType dtype);
/// x as this dtype holds it: rounded to nearest even, or wrapped as an integer, or true.
double rounded(double x, DType dtype);

/// EXPECT_TRUE(c) << c.message, where the message has the count of mismatches and the worst of them with its index.
struct Comparison {
  bool ok = true;
  std::string message;
  explicit operator bool() const { return ok; }
};

/// NaN equals NaN, an infinity itself. Integers and bool wrap as `rounded` says before they are compared.
Comparison compare(const Tensor& got, const Doubles& expected, Tolerance tolerance);
/// The same with an allowance for each element instead, in row-major order.
Comparison compare(const Tensor& got, const Doubles& expected, const std::vector<double>& allowed);
Comparison compare(const Tensor& got, const Tensor& expected, Tolerance tolerance);
/// Shape, dtype and every bit of every element.
Comparison compare_bitwise(const Tensor& got, const Tensor& expected);

}  // namespace minima::test
