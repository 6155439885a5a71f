#include "tests/ops/op_cases.h"

#include <minima/ops/pointwise/comparison.h>
#include <minima/tensor/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima {
namespace {

using namespace test;

/// Whole numbers, so that some are equal in every dtype.
const Draw few = whole({}, 0, 3);

OpCases comparison(const char* name, Tensor (*op)(const Tensor&, const Tensor&), double (*reference)(double, double)) {
  return OpCases(name)
      .dtypes(all_dtypes())
      .result_dtype(always<boolean>)
      .result_layout(ResultLayout::like_input)
      .no_gradient()
      .on([op](In in) { return op(in[0], in[1]); }, elementwise(reference))
      .pointwise_inputs(2, few);
}

OpCases with_number(const char* name, Tensor (*op)(const Tensor&, Scalar), double (*reference)(double)) {
  return OpCases(name)
      .dtypes(all_dtypes())
      .result_dtype(always<boolean>)
      .result_layout(ResultLayout::like_input)
      .no_gradient()
      .on([op](In in) { return op(in[0], 1); }, elementwise(reference), "1")
      .pointwise_inputs(1, few);
}

OpCases property(const char* name, Tensor (*op)(const Tensor&), double (*reference)(double)) {
  return OpCases(name)
      .dtypes(all_dtypes())
      .result_dtype(always<boolean>)
      .result_layout(ResultLayout::like_input)
      .no_gradient()
      .on([op](In in) { return op(in[0]); }, elementwise(reference))
      .pointwise_inputs(1, few);
}

[[maybe_unused]] const bool cases[] = {
    comparison("eq", eq, [](double a, double b) -> double { return a == b; })
        .error<ShapeError>([] { eq(empty({2}), empty({3})); },
                           "eq: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check(),
    comparison("ne", ne, [](double a, double b) -> double { return a != b; }).check(),
    comparison("lt", lt, [](double a, double b) -> double { return a < b; }).check(),
    comparison("le", le, [](double a, double b) -> double { return a <= b; }).check(),
    comparison("gt", gt, [](double a, double b) -> double { return a > b; }).check(),
    comparison("ge", ge, [](double a, double b) -> double { return a >= b; }).check(),
    comparison("logical_and", logical_and, [](double a, double b) -> double { return a != 0 && b != 0; }).check(),
    comparison("logical_or", logical_or, [](double a, double b) -> double { return a != 0 || b != 0; }).check(),
    with_number("eq scalar", eq, [](double x) -> double { return x == 1; }).check(),
    with_number("ne scalar", ne, [](double x) -> double { return x != 1; }).check(),
    with_number("lt scalar", lt, [](double x) -> double { return x < 1; }).check(),
    with_number("le scalar", le, [](double x) -> double { return x <= 1; }).check(),
    with_number("gt scalar", gt, [](double x) -> double { return x > 1; }).check(),
    with_number("ge scalar", ge, [](double x) -> double { return x >= 1; }).check(),
    property("logical_not", logical_not, [](double x) -> double { return x == 0; }).check(),
    property("isnan", isnan, [](double x) -> double { return std::isnan(x); }).check(),
    property("isfinite", isfinite, [](double x) -> double { return std::isfinite(x); }).check(),
};

TEST(Comparison, TakesTheNumberInTheTensorsDtype) {
  const Tensor half = tensor<float>({0.1f, 0.5f}).to(float16);
  EXPECT_EQ((half == 0.1).to_vector<std::uint8_t>(), (std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ((half == half).to_vector<std::uint8_t>(), (std::vector<std::uint8_t>{1, 1}));
}

TEST(Comparison, DoesNotWrapANumberOutsideTheRange) {
  const Tensor small = tensor<std::uint8_t>({0, 255});
  EXPECT_EQ((small < 256).to_vector<std::uint8_t>(), (std::vector<std::uint8_t>{1, 1}));
  EXPECT_EQ((small > -1).to_vector<std::uint8_t>(), (std::vector<std::uint8_t>{1, 1}));
  EXPECT_EQ((small == 0.5).to_vector<std::uint8_t>(), (std::vector<std::uint8_t>{0, 0}));
  const Tensor wide = tensor<std::int64_t>({(std::int64_t{1} << 53) + 1});
  EXPECT_FALSE((wide == (std::int64_t{1} << 53)).item<bool>());
}

}  // namespace
}  // namespace minima
