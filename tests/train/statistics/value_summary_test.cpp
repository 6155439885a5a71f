#include "tests/train/statistics/expect_summary.h"

#include <minima/ops/ops.h>
#include <minima/train/statistics/value_summary.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace minima::train::value_summary_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

ValueSummary summary(const Tensor& x) { return detail::summary_of(detail::sums_of(x).to_vector<double>()); }
ValueSummary by_operators(const Tensor& x) {
  return detail::summary_of(detail::sums_by_operators(x).to_vector<double>());
}

TEST(ValueSummary, CountsFiniteElementsAndOthers) {
  for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16, DType::float16})
    for (const auto& of : {&summary, &by_operators}) {
      SCOPED_TRACE(name(dtype));
      // Powers of two are exact in all dtypes: Σ|x| = 3, Σx² = 5, five finite elements.
      const Tensor x = tensor<double>({1, -2, 0, nan, -0.0, infinity, -infinity, 0}).to(dtype);
      expect_summary(
          of(x),
          {.elements = 8, .zeros = 3, .non_finite = 3, .mean_abs = 3.0 / 5, .rms = std::sqrt(5.0 / 5), .max_abs = 2});
      expect_summary(of(narrow(x, 0, 3, 1)), {.elements = 1, .non_finite = 1});
      expect_summary(of(zeros({0}, {.dtype = dtype})), {});
      expect_summary(of(full({}, -4.0, {.dtype = dtype})), {.elements = 1, .mean_abs = 4, .rms = 4, .max_abs = 4});
    }
}

TEST(ValueSummary, SquaresBeyondTheRangeOfFloat32Count) {
  for (const double size : {1e30, 1e-30})
    for (const auto& of : {&summary, &by_operators})
      expect_summary(of(tensor<float>({static_cast<float>(3 * size), static_cast<float>(4 * size)})),
                     {.elements = 2, .mean_abs = 3.5 * size, .rms = std::sqrt(12.5) * size, .max_abs = 4 * size});
}

TEST(ValueSummary, ManyElementsInAnyOrderOfMemory) {
  manual_seed(3);
  const Tensor x = randn({301, 217}, {.dtype = float64});
  const double mean_abs = mean(abs(x)).item<double>(), rms = std::sqrt(mean(x * x).item<double>());
  for (const Tensor& view : {x, transpose(x, 0, 1), x.to(float32)})
    for (const auto& of : {&summary, &by_operators})
      expect_summary(of(view),
                     {.elements = 301 * 217, .mean_abs = mean_abs, .rms = rms, .max_abs = max(abs(x)).item<double>()});
}

}  // namespace
}  // namespace minima::train::value_summary_test
