#include "tests/ops/checks/composed.h"
#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

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

OpCases logical(OpCases cases) {
  return composed(std::move(cases)).dtypes(all_dtypes()).result_dtype(always<boolean>).no_gradient();
}

[[maybe_unused]] const bool isinf_cases =
    logical(OpCases("isinf"))
        .without("errors", "takes every tensor")
        .on([](In in) { return isinf(in[0]); }, elementwise([](double x) { return std::isinf(x) ? 1.0 : 0.0; }))
        .pytorch("torch.isinf")
        .inputs(normal({3, 4}))
        .inputs(normal({0}))
        .inputs(specials())
        .check();

[[maybe_unused]] const bool isposinf_cases =
    logical(OpCases("isposinf"))
        .without("errors", "takes every tensor")
        .on([](In in) { return isposinf(in[0]); },
            elementwise([](double x) { return x > 0 && std::isinf(x) ? 1.0 : 0.0; }))
        .pytorch("torch.isposinf")
        .inputs(normal({3, 4}))
        .inputs(normal({0}))
        .inputs(specials())
        .check();

[[maybe_unused]] const bool isneginf_cases =
    logical(OpCases("isneginf"))
        .without("errors", "takes every tensor")
        .on([](In in) { return isneginf(in[0]); },
            elementwise([](double x) { return x < 0 && std::isinf(x) ? 1.0 : 0.0; }))
        .pytorch("torch.isneginf")
        .inputs(normal({3, 4}))
        .inputs(normal({0}))
        .inputs(specials())
        .check();

[[maybe_unused]] const bool isclose_cases =
    logical(OpCases("isclose"))
        .on([](In in) { return isclose(in[0], in[1], {.rtol = 0.25, .atol = 0.5}); },
            elementwise([](double a, double b) {
              return a == b || (std::isfinite(a - b) && std::fabs(a - b) <= 0.5 + 0.25 * std::fabs(b)) ? 1.0 : 0.0;
            }),
            "not NaN")
        .pytorch("lambda a, b: torch.isclose(a, b, 0.25, 0.5)")
        .inputs(whole({3, 4}, -4, 5), whole({3, 4}, -4, 5))
        .inputs(normal({0}), normal({}))
        .inputs(specials(), specials())
        .on([](In in) { return isclose(in[0], in[1], {.equal_nan = true}); },
            elementwise([](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)) ? 1.0 : 0.0; }),
            "NaN")
        .inputs(given({4}, {1, 2, -3, 4}), given({4}, {1, 3, -3, 7}))
        .error<ShapeError>([] { isclose(sized({2}), sized({3})); },
                           "isclose: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>(
            [] { isclose(sized({2}), sized({2}, int64)); },
            "isclose: needs two tensors of one dtype, got float32 [2] and int64 [2]; convert them with to()")
        .error<ValueError>([] { isclose(sized({2}), sized({2}), {.rtol = -1}); },
                           "isclose: tolerances must not be negative, got rtol -1 and atol 1e-08")
        .check();

[[maybe_unused]] const bool logical_xor_cases =
    logical(OpCases("logical_xor"))
        .on([](In in) { return logical_xor(in[0], in[1]); },
            elementwise([](double a, double b) { return (a != 0) != (b != 0) ? 1.0 : 0.0; }))
        .pytorch("torch.logical_xor")
        .inputs(whole({3, 4}, 0, 2), whole({4}, 0, 2))
        .inputs(normal({0}), normal({}))
        .inputs(specials(), specials())
        .error<ShapeError>([] { logical_xor(sized({2}), sized({3})); },
                           "logical_xor: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

}  // namespace
}  // namespace minima::comparison_test
