#include <minima/ops/pointwise/trigonometry.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/autograd/backward.h>

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::trigonometry_test {
namespace {

using namespace test;

/// Takes every dtype; integers give float32. `like` draws from the function's domain.
bool real(OpCases cases, Tensor (*f)(const Tensor&), double (*reference)(double), const Draw& like,
          bool with_specials) {
  return cases.dtypes(all_dtypes())
      .result_dtype(floating_dtype)
      .result_layout(ResultLayout::like_input)
      .on([=](In in) { return f(in[0]); }, elementwise(reference))
      .pointwise_inputs(1, like, with_specials)
      .without("errors", "takes every tensor")
      .check();
}

[[maybe_unused]] const bool sin_cases = real(OpCases("sin"), sin, [](double x) { return std::sin(x); }, {}, false);
[[maybe_unused]] const bool cos_cases = real(OpCases("cos"), cos, [](double x) { return std::cos(x); }, {}, false);
[[maybe_unused]] const bool tan_cases =
    real(OpCases("tan").autocast("float32"), tan, [](double x) { return std::tan(x); }, uniform({}, -1.2, 1.2), false);
[[maybe_unused]] const bool asin_cases = real(
    OpCases("asin").autocast("float32"), asin, [](double x) { return std::asin(x); }, uniform({}, -0.9, 0.9), false);
[[maybe_unused]] const bool acos_cases = real(
    OpCases("acos").autocast("float32"), acos, [](double x) { return std::acos(x); }, uniform({}, -0.9, 0.9), false);
[[maybe_unused]] const bool atan_cases = real(OpCases("atan"), atan, [](double x) { return std::atan(x); }, {}, true);
[[maybe_unused]] const bool sinh_cases =
    real(OpCases("sinh").autocast("float32"), sinh, [](double x) { return std::sinh(x); }, {}, true);
[[maybe_unused]] const bool cosh_cases =
    real(OpCases("cosh").autocast("float32"), cosh, [](double x) { return std::cosh(x); }, {}, true);
[[maybe_unused]] const bool asinh_cases =
    real(OpCases("asinh"), asinh, [](double x) { return std::asinh(x); }, {}, true);
[[maybe_unused]] const bool acosh_cases =
    real(OpCases("acosh"), acosh, [](double x) { return std::acosh(x); }, uniform({}, 1.5, 6), false);
[[maybe_unused]] const bool atanh_cases =
    real(OpCases("atanh"), atanh, [](double x) { return std::atanh(x); }, uniform({}, -0.9, 0.9), false);

[[maybe_unused]] const bool tanh_cases =
    OpCases("tanh")
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return tanh(in[0]); }, elementwise([](double x) { return std::tanh(x); }))
        .pointwise_inputs(1)
        .error<DTypeError>([] { tanh(zeros({2}, {.dtype = DType::int64})); },
                           "tanh: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool atan2_cases =
    OpCases("atan2")
        .dtypes(all_dtypes())
        .result_dtype(floating_dtype)
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return atan2(in[0], in[1]); }, elementwise([](double y, double x) { return std::atan2(y, x); }))
        .pointwise_inputs(2, uniform({}, 1, 4), false)
        .error<ShapeError>([] { atan2(empty({2}), empty({3})); },
                           "atan2: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

TEST(Trigonometry, Atan2KnowsItsQuadrants) {
  const Tensor y = from_vector<double>({1, 1, -1, -1, 0, 0}, {6}), x = from_vector<double>({1, -1, -1, 1, -1, 1}, {6});
  const auto angles = atan2(y, x).to_vector<double>();
  const double expected[] = {M_PI_4, 3 * M_PI_4, -3 * M_PI_4, -M_PI_4, M_PI, 0};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_DOUBLE_EQ(angles[i], expected[i]);
}

TEST(Trigonometry, GradientsOfInverseHyperbolicFunctionsDoNotOverflow) {
  for (Tensor (*f)(const Tensor&) : {asinh, acosh}) {
    const Tensor half = full({1}, 512, {.dtype = float16}).requires_grad(true);
    f(half).backward();
    EXPECT_NEAR(half.grad().to(float32).item<double>() * 512, 1, 2e-3);
    const Tensor single = full({1}, 1e30).requires_grad(true);
    f(single).backward();
    EXPECT_NEAR(single.grad().item<double>() * 1e30, 1, 1e-5);
  }
}

}  // namespace
}  // namespace minima::trigonometry_test
