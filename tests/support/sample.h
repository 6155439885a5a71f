#pragma once

#include <minima/ops/copy/copy.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

// Helpers for operator tests: random inputs and comparison with a double reference.

namespace minima::test {

/// Uniform on [-2, 2), row-major.
inline Tensor sample(const Shape& shape, unsigned seed = 1, DType dtype = float64) {
  std::mt19937 engine(seed);
  std::vector<double> values(static_cast<std::size_t>(numel(shape)));
  for (double& value : values) value = std::uniform_real_distribution<double>(-2, 2)(engine);
  return from_vector(values, shape).to(dtype);
}

/// The same values, with dimensions `a` and `b` swapped in memory and a gap after each element.
inline Tensor scattered(const Tensor& x, int a, int b) {
  Shape wide = x.layout().transposed(a, b).shape;
  wide.push_back(2);
  const Tensor holder = empty(wide, {.dtype = x.dtype()});
  const Tensor view = transpose(select(holder, -1, 0), a, b);
  copy_(view, x);
  return view;
}

inline Tensor leaf(const Tensor& x) { return Tensor(x.detach()).requires_grad(true); }

/// |actual - expected| ≤ tolerance · (1 + |expected|) everywhere, and the same NaN and infinities.
inline void expect_near(const Tensor& actual, const std::vector<double>& expected, double tolerance) {
  const std::vector<double> values = actual.to_vector<double>();
  ASSERT_EQ(values.size(), expected.size());
  int reported = 0;
  for (std::size_t i = 0; i < values.size() && reported < 4; ++i) {
    const double a = values[i], e = expected[i];
    const bool same = std::isnan(e) ? std::isnan(a) : a == e || std::abs(a - e) <= tolerance * (1 + std::abs(e));
    if (!same) {
      ADD_FAILURE() << "element " << i << " of " << values.size() << " is " << a << ", expected " << e;
      ++reported;
    }
  }
}
inline void expect_near(const Tensor& actual, const Tensor& expected, double tolerance) {
  ASSERT_EQ(actual.shape(), expected.shape());
  expect_near(actual, expected.to_vector<double>(), tolerance);
}

inline double tolerance_of(DType dtype) {
  return dtype == float64 ? 1e-12 : dtype == float32 ? 1e-5 : dtype == float16 ? 2e-3 : 1.6e-2;
}

/// The message of the error that f throws.
template <class E, class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("another error: ") + error.what();
  }
  return "no error";
}

}  // namespace minima::test
