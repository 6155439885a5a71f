#include <minima/ops/special/polynomials.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::polynomials_test {
namespace {

using namespace test;
using Polynomial = Tensor (*)(const Tensor&, const Tensor&);

/// The table of a polynomial: x in [low, high), degrees 0 to 6.
bool polynomial_cases(const std::string& name, Polynomial f, double (*reference)(double, double), double low,
                      double high) {
  const auto x = [=](const Shape& shape) { return uniform(shape, low, high); };
  const auto n = [](const Shape& shape) { return whole(shape, 0, 7).constant(); };
  return OpCases(name)
      .dtypes(all_dtypes())
      .result_dtype(floating_dtype)
      .result_layout(ResultLayout::like_input)
      .tolerance(8)
      .gradient_cancels()
      .without("complex", "degrees are whole numbers")
      .without("random", "degrees are whole numbers")
      .without("large", "its loop is that of other operators")
      .on([f](In in) { return f(in[0], in[1]); }, elementwise(reference))
      .pytorch("torch.special." + name)
      .inputs(x({3, 5}), n({3, 5}))
      .inputs(x({}), n({}))
      .inputs(x({2, 1, 3, 2}), n({2, 3, 1}))
      .inputs(x({0, 3}), n({3}))
      .inputs(x({300, 5}), n({5}))
      .error<ShapeError>([f] { f(sized({2}), sized({3})); },
                         name + ": shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
      .check();
}

double t(double x, double n) { return std::cos(n * std::acos(x)); }
double u(double x, double n) {
  if (std::fabs(x) == 1) return (x < 0 && static_cast<int>(n) % 2 != 0 ? -1 : 1) * (n + 1);
  return std::sin((n + 1) * std::acos(x)) / std::sin(std::acos(x));
}
double w(double x, double n) {
  return x == 1 ? 2 * n + 1 : std::sin((n + 0.5) * std::acos(x)) / std::sin(std::acos(x) / 2);
}
double v(double x, double n) { return (static_cast<int>(n) % 2 == 0 ? 1 : -1) * w(-x, n); }
double h(double x, double n) { return std::hermite(static_cast<unsigned>(n), x); }
double he(double x, double n) { return std::exp2(-n / 2) * std::hermite(static_cast<unsigned>(n), x / M_SQRT2); }
double l(double x, double n) { return std::laguerre(static_cast<unsigned>(n), x); }
double p(double x, double n) { return std::legendre(static_cast<unsigned>(n), x); }

[[maybe_unused]] const bool all_cases[] = {
    polynomial_cases("chebyshev_polynomial_t", chebyshev_polynomial_t, t, -0.9, 0.9),
    polynomial_cases("chebyshev_polynomial_u", chebyshev_polynomial_u, u, -0.9, 0.9),
    polynomial_cases("chebyshev_polynomial_v", chebyshev_polynomial_v, v, -0.9, 0.9),
    polynomial_cases("chebyshev_polynomial_w", chebyshev_polynomial_w, w, -0.9, 0.9),
    polynomial_cases(
        "shifted_chebyshev_polynomial_t", shifted_chebyshev_polynomial_t,
        [](double x, double n) { return t(2 * x - 1, n); }, 0.1, 0.9),
    polynomial_cases(
        "shifted_chebyshev_polynomial_u", shifted_chebyshev_polynomial_u,
        [](double x, double n) { return u(2 * x - 1, n); }, 0.1, 0.9),
    polynomial_cases(
        "shifted_chebyshev_polynomial_v", shifted_chebyshev_polynomial_v,
        [](double x, double n) { return v(2 * x - 1, n); }, 0.1, 0.9),
    polynomial_cases(
        "shifted_chebyshev_polynomial_w", shifted_chebyshev_polynomial_w,
        [](double x, double n) { return w(2 * x - 1, n); }, 0.1, 0.9),
    polynomial_cases("hermite_polynomial_h", hermite_polynomial_h, h, -2, 2),
    polynomial_cases("hermite_polynomial_he", hermite_polynomial_he, he, -2, 2),
    polynomial_cases("laguerre_polynomial_l", laguerre_polynomial_l, l, 0, 4),
    polynomial_cases("legendre_polynomial_p", legendre_polynomial_p, p, -0.9, 0.9)};

TEST(Polynomials, AreZeroBelowDegreeZeroAndNotANumberFarAbove) {
  const Tensor x = ones({1}, {.dtype = float64});
  EXPECT_EQ(legendre_polynomial_p(x, full({1}, -1)).item<double>(), 0);
  EXPECT_EQ(legendre_polynomial_p(x, full({1}, 2.9)).item<double>(), 1);
  EXPECT_EQ(chebyshev_polynomial_w(x, full({1}, 100000)).item<double>(), 200001);
  EXPECT_TRUE(std::isnan(hermite_polynomial_h(x, full({1}, 1e9)).item<double>()));
}

TEST(Polynomials, HaveEightDerivatives) {
  Tensor x = full({1}, 0.5, {.dtype = float64}).requires_grad(true), y = hermite_polynomial_he(x, full({1}, 9));
  for (int i = 0; i < 8; ++i) y = grad({sum(y)}, {x}, {}, {.create_graph = true})[0];
  EXPECT_DOUBLE_EQ(y.item<double>(), 362880 * 0.5);  // 9!·He₁
  EXPECT_THROW(grad({sum(y)}, {x}), AutogradError);
}

}  // namespace
}  // namespace minima::polynomials_test
