#include "tests/ops/checks/op_cases.h"

#include <minima/ops/pointwise/comparison.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::comparison_test {
namespace {

using namespace test;

/// Integers, so that some are equal in every dtype.
const Draw few = whole({}, 0, 3);

OpCases comparison(OpCases table, Tensor (*op)(const Tensor&, const Tensor&), double (*reference)(double, double)) {
  const std::string name = table.name();
  return table.dtypes(all_dtypes())
      .result_dtype(always<boolean>)
      .result_layout(ResultLayout::like_input)
      .no_gradient()
      .on([op](In in) { return op(in[0], in[1]); }, elementwise(reference))
      .pointwise_inputs(2, few)
      .error<ShapeError>([op] { op(empty({2}), empty({3})); },
                         name + ": shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1");
}

OpCases with_number(OpCases table, Tensor (*op)(const Tensor&, Scalar), double (*reference)(double)) {
  return table.dtypes(all_dtypes())
      .result_dtype(always<boolean>)
      .result_layout(ResultLayout::like_input)
      .no_gradient()
      .on([op](In in) { return op(in[0], 1); }, elementwise(reference), "1")
      .pointwise_inputs(1, few)
      .without("errors", "takes every tensor");
}

OpCases property(OpCases table, Tensor (*op)(const Tensor&), double (*reference)(double)) {
  return table.dtypes(all_dtypes())
      .result_dtype(always<boolean>)
      .result_layout(ResultLayout::like_input)
      .no_gradient()
      .on([op](In in) { return op(in[0]); }, elementwise(reference))
      .pointwise_inputs(1, few)
      .without("errors", "takes every tensor");
}

[[maybe_unused]] const bool cases[] = {
    comparison(OpCases("eq"), eq, [](double a, double b) -> double { return a == b; })
        .error<ValueError>([] { eq(empty({2}), Tensor()); }, "eq: argument 1 is undefined")
        .check(),
    comparison(OpCases("ne"), ne, [](double a, double b) -> double { return a != b; }).check(),
    comparison(OpCases("lt"), lt, [](double a, double b) -> double { return a < b; }).check(),
    comparison(OpCases("le"), le, [](double a, double b) -> double { return a <= b; }).check(),
    comparison(OpCases("gt"), gt, [](double a, double b) -> double { return a > b; }).check(),
    comparison(OpCases("ge"), ge, [](double a, double b) -> double { return a >= b; }).check(),
    comparison(OpCases("logical_and"), logical_and, [](double a, double b) -> double { return a != 0 && b != 0; })
        .check(),
    comparison(OpCases("logical_or"), logical_or, [](double a, double b) -> double { return a != 0 || b != 0; })
        .check(),
    with_number(OpCases("eq scalar"), eq, [](double x) -> double { return x == 1; }).check(),
    with_number(OpCases("ne scalar"), ne, [](double x) -> double { return x != 1; }).check(),
    with_number(OpCases("lt scalar"), lt, [](double x) -> double { return x < 1; }).check(),
    with_number(OpCases("le scalar"), le, [](double x) -> double { return x <= 1; }).check(),
    with_number(OpCases("gt scalar"), gt, [](double x) -> double { return x > 1; }).check(),
    with_number(OpCases("ge scalar"), ge, [](double x) -> double { return x >= 1; }).check(),
    property(OpCases("logical_not"), logical_not, [](double x) -> double { return x == 0; }).check(),
    property(OpCases("isnan"), isnan, [](double x) -> double { return std::isnan(x); }).check(),
    property(OpCases("isfinite"), isfinite, [](double x) -> double { return std::isfinite(x); }).check(),
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
}  // namespace minima::comparison_test
