#include <minima/ops/pointwise/trigonometry.h>

#include "tests/ops/checks/composed.h"
#include "tests/ops/checks/op_cases.h"

#include <minima/autograd/backward.h>

#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace minima::trigonometry_test {
namespace {

using namespace test;

/// Takes every dtype; integers give float32. `like` draws from the function's domain.
bool real(OpCases cases, Tensor (*f)(const Tensor&), double (*reference)(double), const Draw& like,
          bool with_specials) {
  const std::string name = cases.name();
  return cases.dtypes(all_dtypes())
      .result_dtype(floating_dtype)
      .result_layout(ResultLayout::like_input)
      .on([=](In in) { return f(in[0]); }, elementwise(reference))
      .pytorch("torch." + name)
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
        .pytorch("torch.tanh")
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
        .pytorch("torch.atan2")
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

constexpr double pi = 3.141592653589793;

/// Takes every dtype, for functions made of other operators.
OpCases composed_real(OpCases cases) {
  return composed(std::move(cases)).dtypes(all_dtypes()).result_dtype(floating_dtype);
}

[[maybe_unused]] const bool sinc_cases =
    composed_real(OpCases("sinc"))
        .without("errors", "takes every tensor")
        .on([](In in) { return sinc(in[0]); },
            elementwise([](double x) { return x == 0 ? 1 : std::sin(pi * x) / (pi * x); }))
        .pytorch("torch.sinc")
        .inputs(uniform({3, 4}, 0.1, 0.9))
        .inputs(normal({0, 4}))
        .inputs(given({2}, {0, 0.5}).constant())
        .check();

[[maybe_unused]] const bool deg2rad_cases =
    composed_real(OpCases("deg2rad"))
        .without("errors", "takes every tensor")
        .on([](In in) { return deg2rad(in[0]); }, elementwise([](double x) { return x * (pi / 180); }))
        .pytorch("torch.deg2rad")
        .inputs(normal({3, 4}))
        .inputs(normal({0}))
        .check();

[[maybe_unused]] const bool rad2deg_cases =
    composed_real(OpCases("rad2deg"))
        .without("errors", "takes every tensor")
        .on([](In in) { return rad2deg(in[0]); }, elementwise([](double x) { return x * (180 / pi); }))
        .pytorch("torch.rad2deg")
        .inputs(normal({3, 4}))
        .inputs(normal({0}))
        .check();

/// The derivative of sin(πx) / πx is -π²x / 3 + π⁴x³ / 30 - π⁶x⁵ / 840 + π⁸x⁷ / 45360 - …
TEST(Sinc, HasExactGradientsNearZero) {
  const std::vector<double> places{0, 1e-40, -1e-20, 1e-8, 1e-3, 0.01};
  for (const DType dtype : {DType::float32, DType::float64}) {
    const Tensor x = from_vector(places, {6}).to(dtype).requires_grad(true);
    const std::vector<double> slopes = grad({sum(sinc(x))}, {x})[0].to_vector<double>();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double a = x[static_cast<std::int64_t>(i)].item<double>(), square = a * a * M_PI * M_PI;
      const double exact = -M_PI * M_PI * a / 3 * (1 - square / 10 * (1 - square / 28 * (1 - square / 54)));
      const double tolerance = dtype == DType::float32 ? 1e-6 : 1e-14;
      EXPECT_NEAR(slopes[i], exact, tolerance * std::abs(exact) + 1e-43) << a;
    }
  }
  const Tensor x = from_vector(std::vector<double>{0, 0.1, 0.159154, 0.159156, 0.3}, {5}).requires_grad(true);
  const Tensor second = grad({sum(grad({sum(sinc(x))}, {x}, {}, {.create_graph = true})[0])}, {x})[0];
  EXPECT_NEAR(second[0].item<double>(), -M_PI * M_PI / 3, 1e-14);
  EXPECT_NEAR(second[2].item<double>(), second[3].item<double>(), 1e-4);
}

/// Values of mpmath. sin(πx) keeps its digits next to integers.
TEST(Sinc, IsExactAtAndNextToIntegers) {
  const Tensor x = tensor<double>({1, -2, 3, 1e15, 0.999999, 7.25});
  EXPECT_EQ(sinc(slice(x, 0, 0, 4)).to_vector<double>(), std::vector<double>(4, 0.0));
  EXPECT_EQ(sinc(slice(x, 0, 0, 4).to(float32)).to_vector<double>(), std::vector<double>(4, 0.0));
  EXPECT_NEAR(sinc(x[4]).item<double>() / 1.0000010000281108e-6, 1, 1e-15);
  EXPECT_NEAR(sinc(x[5]).item<double>() / -0.031045390212314002, 1, 1e-15);
  // cos(πx) / x - sin(πx) / πx²
  const Tensor at = tensor<double>({2, -3}).requires_grad(true);
  EXPECT_TRUE(allclose(grad({sum(sinc(at))}, {at})[0], tensor<double>({0.5, 1.0 / 3}), {1e-15, 0}));
}

[[maybe_unused]] const bool tanh_in_place_calls =
    FunctionCases("tanh_").undefined([](const Tensor& none) { tanh_(none); }).check();

}  // namespace
}  // namespace minima::trigonometry_test
