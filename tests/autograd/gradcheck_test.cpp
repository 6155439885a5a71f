#include "tests/support/expect_error.h"

#include <minima/autograd/gradcheck.h>
#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima::gradcheck_test {
namespace {

Tensor input() { return from_vector<double>({0.5, -1, 2, 3, 0.25, -2}, {2, 3}).requires_grad(true); }

TEST(Gradcheck, AcceptsARightGradient) {
  const auto f = [](const std::vector<Tensor>& in) { return std::vector{exp(in[0]) * in[0]}; };
  EXPECT_TRUE(gradcheck(f, {input()}));
  EXPECT_TRUE(gradgradcheck(f, {input()}));
}

TEST(Gradcheck, RefusesAWrongGradientWithBothNumbers) {
  // The gradient of x · x with one factor detached is x instead of 2x.
  const auto half = [](const std::vector<Tensor>& in) { return std::vector{in[0] * in[0].detach()}; };
  const GradcheckReport report = gradcheck(half, {input()});
  EXPECT_FALSE(report);
  EXPECT_NE(report.message.find("3"), std::string::npos) << report.message;
  EXPECT_NE(report.message.find("6"), std::string::npos) << report.message;
}

TEST(Gradcheck, OfTheGradientFindsAWrongSecondDerivative) {
  const auto f = [](const std::vector<Tensor>& in) { return std::vector{in[0] * in[0].detach()}; };
  EXPECT_FALSE(gradgradcheck(f, {input()}));
}

TEST(Gradcheck, TakesStridedInputs) {
  Tensor x = input();
  const Tensor columns = transpose(x.detach(), 0, 1).requires_grad(true);
  EXPECT_TRUE(gradcheck([](const std::vector<Tensor>& in) { return std::vector{in[0] * in[0]}; }, {columns}));
}

TEST(Gradcheck, RefusesAFunctionThatReturnsLessWithoutRecording) {
  const auto f = [](const std::vector<Tensor>& in) {
    std::vector<Tensor> outputs{exp(in[0]), in[0] * 2};
    if (!outputs.back().requires_grad()) outputs.pop_back();
    return outputs;
  };
  EXPECT_CONTAINS(test::message_of<ValueError>([&] { gradcheck(f, {input()}); }),
                  "gradcheck: f returned 2 outputs at first, then 1 without recording or for other inputs");
  const auto shrinking = [](const std::vector<Tensor>& in) {
    return std::vector{is_grad_enabled() ? in[0] * 2 : narrow(in[0], 1, 0, 2)};
  };
  EXPECT_CONTAINS(test::message_of<ShapeError>([&] { gradcheck(shrinking, {input()}); }),
                  "output 0 was float64 [2, 3]");
}

}  // namespace
}  // namespace minima::gradcheck_test
