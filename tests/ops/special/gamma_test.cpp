#include <minima/ops/special/gamma.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::gamma_test {
namespace {

using namespace test;

/// Takes every dtype; integers give float32.
OpCases real(OpCases cases) {
  cases.dtypes(all_dtypes()).result_dtype(floating_dtype).result_layout(ResultLayout::like_input);
  return cases;
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

/// ψ′(x) = 1/x + 1/2x² + …
TEST(Polygamma, OfHugeArgumentsDoesNotUnderflowEarly) {
  EXPECT_NEAR(polygamma(1, tensor({1e25})).item<double>() * 1e25, 1, 1e-6);
  EXPECT_NEAR(polygamma(1, tensor<double>({1e300})).item<double>() * 1e300, 1, 1e-14);
  EXPECT_NEAR(polygamma(2, tensor<double>({1e150})).item<double>() * 1e300, -1, 1e-13);
}

/// Without gradient.
Tensor constant(const Tensor& x) { return x.defined() ? x.detach() : x; }

/// Two positive inputs, the first without gradient.
OpCases& parameter_and_argument(OpCases& cases, double low, double high) {
  const auto first = [=](const Shape& shape) { return uniform(shape, low, high).constant(); };
  const auto second = [=](const Shape& shape) { return uniform(shape, low, high); };
  return cases.inputs(first({3, 4}), second({3, 4}))
      .inputs(first({}), second({}))
      .inputs(first({2, 1, 3, 2}), second({2, 3, 1}))
      .inputs(first({0, 3}), second({3}))
      .inputs(first({30, 5}), second({5}))
      .without("large", "its loop is that of other operators");
}

double hurwitz(double s, double q) {
  if (s <= 1) return s == 1 ? INFINITY : NAN;
  if (q == 0) return INFINITY;
  long double sum = 0;
  constexpr int count = 60;
  for (int k = 0; k < count; ++k) sum += std::pow(static_cast<long double>(q + k), static_cast<long double>(-s));
  const long double end = q + count, power = std::pow(end, static_cast<long double>(-s));
  const long double third = s * (s + 1) * (s + 2) / (720 * end * end * end);
  return static_cast<double>(sum + power * (end / (s - 1) + 0.5L + s / (12 * end) - third));
}
[[maybe_unused]] const bool zeta_cases = [] {
  OpCases cases = real(OpCases("zeta")).tolerance(2);
  cases.on([](In in) { return zeta(constant(in[0]), in[1]); }, elementwise(hurwitz))
      .pytorch("lambda s, q: torch.special.zeta(s.detach(), q)");
  return parameter_and_argument(cases, 2, 6)
      .error<ShapeError>([] { zeta(sized({2}), sized({3})); },
                         "zeta: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
      .error<AutogradError>([] { sum(zeta(full({1}, 2).requires_grad(true), ones({1}))).backward(); },
                            "zeta: there is no derivative by s; detach it\n  in the backward of zeta")
      .check();
}();

/// P(a, x) by its power series, which converges everywhere.
double lower_gamma(double a, double x) {
  if (a == 0) return x == 0 ? NAN : 1;
  if (x == 0) return 0;
  long double term = 1 / static_cast<long double>(a), sum = term;
  for (int k = 1; term > 1e-22L * sum; ++k) sum += term *= x / (static_cast<long double>(a) + k);
  return static_cast<double>(
      sum * std::exp(a * std::log(static_cast<long double>(x)) - x - std::lgamma(static_cast<long double>(a))));
}
[[maybe_unused]] const bool igamma_cases = [] {
  OpCases cases = real(OpCases("igamma")).tolerance(2);
  cases.on([](In in) { return igamma(constant(in[0]), in[1]); }, elementwise(lower_gamma))
      .pytorch("lambda a, x: torch.igamma(a.detach(), x)");
  return parameter_and_argument(cases, 1, 9)
      .error<ShapeError>([] { igamma(sized({2}), sized({3})); },
                         "igamma: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
      .error<AutogradError>([] { sum(igamma(full({1}, 2).requires_grad(true), ones({1}))).backward(); },
                            "igamma: there is no derivative by a; detach it\n  in the backward of igamma")
      .check();
}();
[[maybe_unused]] const bool igammac_cases = [] {
  OpCases cases = real(OpCases("igammac")).tolerance(2);
  cases
      .on([](In in) { return igammac(constant(in[0]), in[1]); },
          elementwise([](double a, double x) { return 1 - lower_gamma(a, x); }))
      .pytorch("lambda a, x: torch.igammac(a.detach(), x)");
  return parameter_and_argument(cases, 1, 6)
      .error<ShapeError>([] { igammac(sized({2}), sized({3})); },
                         "igammac: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
      .error<AutogradError>([] { sum(igammac(full({1}, 2).requires_grad(true), ones({1}))).backward(); },
                            "igammac: there is no derivative by a; detach it\n  in the backward of igamma")
      .check();
}();

[[maybe_unused]] const bool mvlgamma_cases =
    OpCases("mvlgamma")
        .autocast("float32")
        .dtypes(all_dtypes())
        .result_dtype(floating_dtype)
        .tolerance(4)
        .without("hidden", "is a sum of lgamma")
        .without("random", "is a sum of lgamma")
        .on([](In in) { return mvlgamma(in[0], 3); }, elementwise([](double x) {
              return 1.5 * std::log(M_PI) + std::lgamma(x) + std::lgamma(x - 0.5) + std::lgamma(x - 1);
            }))
        .pytorch("lambda x: torch.mvlgamma(x, 3)")
        .pointwise_inputs(1, uniform({}, 4, 9), false)
        .huge([](auto p) { mvlgamma(ones({1}), p); })
        .error<ValueError>([] { mvlgamma(sized({2}), 0); }, "mvlgamma: p must be between 1 and 10000, got 0")
        .check();

/// Values of mpmath next to the roots, in tensors that are long enough for the fast loops.
TEST(Gamma, KeepsItsDigitsNextToItsRoots) {
  const auto at = [](Tensor (*f)(const Tensor&), float x) { return f(full({64}, x))[9].item<double>(); };
  EXPECT_EQ(at(lgamma, 1), 0);
  EXPECT_EQ(at(lgamma, 2), 0);
  EXPECT_NEAR(at(lgamma, 0x1.000002p0F) / -6.8809457642534712e-8, 1, 1e-7);
  EXPECT_NEAR(at(digamma, 1.4616321325302124F) / -1.2036052549106669e-8, 1, 1e-7);
}

/// Values of mpmath that no table reaches.
TEST(StatisticsFunctions, HoldForSmallAndLargeArguments) {
  const auto at = [](Tensor (*f)(const Tensor&, const Tensor&), double a, double x) {
    return f(tensor<double>({a}), tensor<double>({x})).item<double>();
  };
  const auto close = [](double got, double expected) { EXPECT_NEAR(got / expected, 1, 3e-12) << expected; };
  close(at(igamma, 0.001, 1e-05), 0.98912304469578267);
  close(at(igammac, 0.001, 1e-05), 0.010876955304217331);
  close(at(igamma, 0.5, 30), 0.99999999999999051);
  close(at(igammac, 0.5, 30), 9.4857375710738484e-15);
  close(at(igammac, 1e-20, 1e-08), 1.7843465089050832e-19);
  close(at(igammac, 1e-310, 0.5), 5.597735947761591e-311);
  close(at(igammac, 0.9, 1.8), 0.14031695566730981);
  close(at(igammac, 0.01, 0.5), 0.0056267561939671841);
  close(at(igamma, 300, 330), 0.95510977612998703);
  close(at(igammac, 300, 330), 0.044890223870012967);
  close(at(igamma, 20000.0, 20100.0), 0.76061670556141765);
  close(at(igammac, 20000.0, 20100.0), 0.23938329443858235);
  close(at(igamma, 20000.0, 19000.0), 3.2368746436185902e-13);
  close(at(igammac, 20000.0, 19000.0), 0.99999999999967631);
  close(at(igamma, 1000000.0, 1001000.0), 0.84134478636834029);
  close(at(igammac, 1000000.0, 1001000.0), 0.15865521363165971);
  close(at(igamma, 100000000.0, 99995000.0), 0.3085463403774922);
  close(at(igammac, 100000000.0, 99995000.0), 0.6914536596225078);
  close(at(zeta, 1.001, 0.5), 1001.9648639703559);
  close(at(zeta, 2, 1), 1.6449340668482264);
  close(at(zeta, 3, -2.5), 0.054102025820863702);
  close(at(zeta, 40, 3), 8.2253460690338273e-20);
  close(at(zeta, 22.5, 22.5), 6.1324134887529668e-31);
  close(erfcx(tensor<double>({30.0})).item<double>(), 0.018795888861416751);
  close(erfcx(tensor<double>({100000000.0})).item<double>(), 5.6418958354775626e-9);
  close(log_ndtr(tensor<double>({-1000.0})).item<double>(), -500007.82669481218);
  close(log_ndtr(tensor<double>({9.0})).item<double>(), -1.1285884059538406e-19);
  EXPECT_EQ(erfcx(tensor<double>({-30})).item<double>(), HUGE_VAL);
  EXPECT_EQ(at(igamma, 2, 0), 0);
  EXPECT_EQ(at(igammac, 2, 0), 1);
  EXPECT_EQ(at(igamma, 0, 2), 1);
  EXPECT_EQ(at(igammac, 3, HUGE_VAL), 0);
  EXPECT_TRUE(std::isnan(at(igamma, -1, 2)));
  EXPECT_TRUE(std::isnan(at(igamma, 0, 0)));
  EXPECT_EQ(at(zeta, 1, 2), HUGE_VAL);
  EXPECT_EQ(at(zeta, 2, -3), HUGE_VAL);
  EXPECT_TRUE(std::isnan(at(zeta, 0.5, 2)));
  EXPECT_TRUE(std::isnan(at(zeta, 2.5, -0.5)));
}

}  // namespace
}  // namespace minima::gamma_test
