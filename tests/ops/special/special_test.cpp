#include <minima/ops/special/special.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::special_test {
namespace {

using namespace test;

/// Takes every dtype; integers give float32.
OpCases real(OpCases cases) {
  cases.dtypes(all_dtypes()).result_dtype(floating_dtype).result_layout(ResultLayout::like_input);
  return cases;
}

[[maybe_unused]] const bool hypot_cases =
    real(OpCases("hypot"))
        .on([](In in) { return hypot(in[0], in[1]); }, elementwise([](double a, double b) { return std::hypot(a, b); }))
        .pytorch("torch.hypot")
        .pointwise_inputs(2, uniform({}, 1, 4))
        .error<ShapeError>([] { hypot(sized({2}), sized({3})); },
                           "hypot: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

[[maybe_unused]] const bool copysign_cases =
    real(OpCases("copysign"))
        .on([](In in) { return copysign(in[0], in[1]); },
            elementwise([](double a, double b) { return std::copysign(a, b); }))
        .pytorch("torch.copysign")
        .pointwise_inputs(2, uniform({}, 0.5, 2))
        .inputs(given({4}, {-1, 2, -3, 0}).constant(), given({4}, {1, -1, -2, -1}).constant())
        .error<ShapeError>([] { copysign(sized({2}), sized({3})); },
                           "copysign: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

[[maybe_unused]] const bool signbit_cases =
    OpCases("signbit")
        .dtypes(all_dtypes())
        .result_dtype(always<boolean>)
        .result_layout(ResultLayout::like_input)
        .no_gradient()
        .without("errors", "takes every tensor")
        .on([](In in) { return signbit(in[0]); }, elementwise([](double x) { return std::signbit(x) ? 1.0 : 0.0; }))
        .pytorch("torch.signbit")
        .pointwise_inputs(1)
        .check();

[[maybe_unused]] const bool nextafter_cases =
    OpCases("nextafter")
        .dtypes(full_floating_dtypes())
        .result_layout(ResultLayout::like_input)
        .no_gradient()
        .on([](In in) { return nextafter(in[0], in[1]); }, elementwise([](double a, double) { return a; }))
        .pytorch("torch.nextafter")
        .pointwise_inputs(2, uniform({}, 1, 4), false)
        .error<ShapeError>([] { nextafter(sized({2}), sized({3})); },
                           "nextafter: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>([] { nextafter(sized({2}, float16), sized({2}, float16)); },
                           "nextafter: needs float32 or float64, got float16 [2]; convert it with to()")
        .check();

TEST(Nextafter, IsTheNumberNextToEachInItsOwnDtype) {
  EXPECT_EQ(nextafter(ones({1}), full({1}, 2)).item<float>(), std::nextafter(1.0f, 2.0f));
  EXPECT_EQ(nextafter(zeros({1}, {.dtype = float64}), full({1}, -1, {.dtype = float64})).item<double>(), -0x1p-1074);
}

[[maybe_unused]] const bool erfinv_cases =
    real(OpCases("erfinv"))
        .autocast("float32")
        .without("errors", "takes every tensor")
        .tolerance(2)
        .on([](In in) { return erfinv(in[0]); }, elementwise([](double x) {
              if (!(std::fabs(x) < 1)) return std::fabs(x) == 1 ? x * INFINITY : NAN;
              double low = -6, high = 6;
              for (int i = 0; i < 80; ++i) {
                const double middle = (low + high) / 2;
                // Near ±1 the complement tells numbers apart.
                const bool below = x < 0 ? std::erfc(-middle) < 1 + x : std::erfc(middle) > 1 - x;
                (below ? low : high) = middle;
              }
              return std::fabs(x) < 1e-9 ? x * 0.88622692545275801 : (low + high) / 2;
            }))
        .pytorch("torch.erfinv")
        .pointwise_inputs(1, uniform({}, 0.1, 0.9))
        .check();

TEST(Erfinv, IsTheInverseOfErfNearOne) {
  const Tensor y = tensor<double>({1e-300, 1e-5, 0.3, 1, 2.5, 4, 5, 5.5});
  const Tensor x = erf(y);
  EXPECT_TRUE(allclose(erf(erfinv(x)), x, {.rtol = 4e-16, .atol = 0}));
  EXPECT_TRUE(allclose(erfinv(-x), -erfinv(x), {.rtol = 0, .atol = 0}));
}

[[maybe_unused]] const bool lgamma_cases =
    real(OpCases("lgamma"))
        .without("errors", "takes every tensor")
        .on([](In in) { return lgamma(in[0]); }, elementwise([](double x) { return std::lgamma(x); }))
        .pytorch("torch.lgamma")
        .pointwise_inputs(1, uniform({}, 3, 9))
        .check();

/// ψ⁽ⁿ⁾ for x > 0: shifted far out, where its asymptotic series needs three terms.
double digamma_of(double x) {
  double y = 0;
  for (; x < 300; ++x) y -= 1 / x;
  return y + std::log(x) - 1 / (2 * x) - 1 / (12 * x * x) + 1 / (120 * x * x * x * x);
}
double trigamma_of(double x) {
  double y = 0;
  for (; x < 300; ++x) y += 1 / (x * x);
  return y + 1 / x + 1 / (2 * x * x) + 1 / (6 * x * x * x);
}

[[maybe_unused]] const bool digamma_cases = real(OpCases("digamma"))
                                                .without("errors", "takes every tensor")
                                                .on([](In in) { return digamma(in[0]); }, elementwise(digamma_of))
                                                .pytorch("torch.digamma")
                                                .pointwise_inputs(1, uniform({}, 3, 9), false)
                                                .check();

[[maybe_unused]] const bool polygamma_cases =
    real(OpCases("polygamma"))
        .tolerance(2)
        .on([](In in) { return polygamma(1, in[0]); }, elementwise(trigamma_of), "1")
        .pytorch("lambda x: torch.polygamma(1, x)")
        .pointwise_inputs(1, uniform({}, 3, 9), false)
        .huge([](auto n) { polygamma(n, ones({1})); })
        .error<ValueError>([] { polygamma(-1, sized({2})); }, "polygamma: n must be between 0 and 100, got -1")
        .check();

TEST(Polygamma, ReflectsNegativeNumbers) {
  const Tensor x = tensor<double>({-0.25, -1.5, -7.75, 0, -2, 1e300, -1e15 - 0.5});
  // The derivative of π·cot(πx) adds π² / sin²(πx) to trigamma(1 - x).
  const Tensor y = polygamma(1, x);
  for (const int i : {0, 1, 2}) {
    const double at = x[i].item<double>(), sine = std::sin(M_PI * at);
    EXPECT_NEAR(y[i].item<double>(), M_PI * M_PI / (sine * sine) - trigamma_of(1 - at), 1e-10) << at;
    EXPECT_NEAR(digamma(x)[i].item<double>(), digamma_of(1 - at) - M_PI / std::tan(M_PI * at), 1e-10) << at;
  }
  EXPECT_TRUE(std::isinf(y[3].item<double>()));
  EXPECT_TRUE(std::isinf(y[4].item<double>()));
  EXPECT_NEAR(y[5].item<double>(), 0, 1e-300);
  EXPECT_NEAR(y[6].item<double>(), M_PI * M_PI, 1e-9);
}

/// Iₙ(x) = ∫₀^π e^(x cos t) cos(nt) dt / π, by the trapezoidal rule, which converges exponentially.
template <int n>
double bessel(double x) {
  constexpr int steps = 120;
  double y = 0;
  for (int i = 0; i <= steps; ++i)
    y += (i == 0 || i == steps ? 0.5 : 1) * std::exp(x * std::cos(M_PI * i / steps)) * std::cos(n * M_PI * i / steps);
  return y / steps;
}

[[maybe_unused]] const bool i0_cases = real(OpCases("i0"))
                                           .without("errors", "takes every tensor")
                                           .on([](In in) { return i0(in[0]); }, elementwise(bessel<0>))
                                           .pytorch("torch.i0")
                                           .pointwise_inputs(1, uniform({}, 1, 5), false)
                                           .inputs(given({4}, {0, -2, 29, 40}).constant())
                                           .check();
[[maybe_unused]] const bool i1_cases = real(OpCases("i1"))
                                           .without("errors", "takes every tensor")
                                           .on([](In in) { return i1(in[0]); }, elementwise(bessel<1>))
                                           .pytorch("torch.special.i1")
                                           .pointwise_inputs(1, uniform({}, 1, 5), false)
                                           .inputs(given({3}, {2, 29, 40}).constant())
                                           .check();

/// ψ′(x) = 1/x + 1/2x² + …
TEST(Polygamma, OfHugeArgumentsDoesNotUnderflowEarly) {
  EXPECT_NEAR(polygamma(1, tensor({1e25})).item<double>() * 1e25, 1, 1e-6);
  EXPECT_NEAR(polygamma(1, tensor<double>({1e300})).item<double>() * 1e300, 1, 1e-14);
  EXPECT_NEAR(polygamma(2, tensor<double>({1e150})).item<double>() * 1e300, -1, 1e-13);
}

}  // namespace
}  // namespace minima::special_test
