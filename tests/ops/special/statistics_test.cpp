#include <minima/ops/special/statistics.h>

#include "tests/ops/special/rows.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::statistics_test {
namespace {

using namespace test;

OpCases real(OpCases cases) {
  return cases.dtypes(all_dtypes()).result_dtype(floating_dtype).result_layout(ResultLayout::like_input);
}
OpCases unary(OpCases cases) { return real(std::move(cases)).without("errors", "takes every tensor"); }

[[maybe_unused]] const bool entr_cases = unary(OpCases("entr"))
                                             .on([](In in) { return entr(in[0]); }, elementwise([](double x) {
                                                   return x == 0 ? 0 : x < 0 ? -INFINITY : -x * std::log(x);
                                                 }))
                                             .pytorch("torch.special.entr")
                                             .pointwise_inputs(1, uniform({}, 1, 4))
                                             .check();
[[maybe_unused]] const bool erfcx_cases =
    check_small(unary(OpCases("erfcx"))
                    .on([](In in) { return erfcx(in[0]); }, elementwise([](double x) {
                          const auto wide = static_cast<long double>(x);
                          return static_cast<double>(std::exp(wide * wide) * std::erfc(wide));
                        }))
                    .pytorch("torch.special.erfcx"),
                uniform({}, -2, 20));
[[maybe_unused]] const bool log_ndtr_cases = check_small(
    unary(OpCases("log_ndtr"))
        .on([](In in) { return log_ndtr(in[0]); }, elementwise([](double x) {
              return x > 0 ? std::log1p(-std::erfc(x * M_SQRT1_2) / 2) : std::log(std::erfc(-x * M_SQRT1_2) / 2);
            }))
        .pytorch("torch.special.log_ndtr"),
    uniform({}, -20, 5));
[[maybe_unused]] const bool xlog1py_cases =
    real(OpCases("xlog1py"))
        .on([](In in) { return xlog1py(in[0], in[1]); },
            elementwise([](double x, double y) { return x == 0 && y == y ? 0 : x * std::log1p(y); }))
        .pytorch("torch.special.xlog1py")
        .pointwise_inputs(2, uniform({}, 1, 4))
        .error<ShapeError>([] { xlog1py(sized({2}), sized({3})); },
                           "xlog1py: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

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
}  // namespace minima::statistics_test
