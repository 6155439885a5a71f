#include <minima/ops/special/bessel.h>

#include "tests/ops/special/rows.h"

#include <minima/autograd/backward.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace minima::bessel_test {
namespace {

using namespace test;

/// The table of a function of one real number, whose errors take none.
OpCases real(OpCases cases) {
  cases.dtypes(all_dtypes()).result_dtype(floating_dtype).result_layout(ResultLayout::like_input);
  return cases.without("errors", "takes every tensor");
}

// PyTorch 2.15's bessel_j0, j1, y0, y1 and airy_ai are off by up to 2e-6 in float64, so they judge none of these;
// SciPy's agree to 1e-15.
[[maybe_unused]] const bool j0_cases =
    check_small(real(OpCases("bessel_j0")).on([](In in) { return bessel_j0(in[0]); }, elementwise([](double x) {
                                                return std::cyl_bessel_j(0, std::fabs(x));
                                              })),
                uniform({}, -12, 30));
[[maybe_unused]] const bool j1_cases =
    check_small(real(OpCases("bessel_j1")).on([](In in) { return bessel_j1(in[0]); }, elementwise([](double x) {
                                                return (x < 0 ? -1 : 1) * std::cyl_bessel_j(1, std::fabs(x));
                                              })),
                uniform({}, -12, 30));
[[maybe_unused]] const bool y0_cases = check_small(
    real(OpCases("bessel_y0")).tolerance(2).on([](In in) { return bessel_y0(in[0]); }, elementwise([](double x) {
                                                 return std::cyl_neumann(0, x);
                                               })),
    uniform({}, 1, 30));
[[maybe_unused]] const bool y1_cases = check_small(
    real(OpCases("bessel_y1")).tolerance(2).on([](In in) { return bessel_y1(in[0]); }, elementwise([](double x) {
                                                 return std::cyl_neumann(1, x);
                                               })),
    uniform({}, 1, 30));
[[maybe_unused]] const bool k0_cases =
    check_small(real(OpCases("modified_bessel_k0"))
                    .on([](In in) { return modified_bessel_k0(in[0]); },
                        elementwise([](double x) { return std::cyl_bessel_k(0, x); }))
                    .pytorch("torch.special.modified_bessel_k0"),
                uniform({}, 1, 9));
[[maybe_unused]] const bool k1_cases =
    check_small(real(OpCases("modified_bessel_k1"))
                    .on([](In in) { return modified_bessel_k1(in[0]); },
                        elementwise([](double x) { return std::cyl_bessel_k(1, x); }))
                    .pytorch("torch.special.modified_bessel_k1"),
                uniform({}, 1, 9));
[[maybe_unused]] const bool scaled_k0_cases =
    check_small(real(OpCases("scaled_modified_bessel_k0"))
                    .on([](In in) { return scaled_modified_bessel_k0(in[0]); },
                        elementwise([](double x) { return std::exp(x) * std::cyl_bessel_k(0, x); }))
                    .pytorch("torch.special.scaled_modified_bessel_k0"),
                uniform({}, 1, 20));
[[maybe_unused]] const bool scaled_k1_cases =
    check_small(real(OpCases("scaled_modified_bessel_k1"))
                    .on([](In in) { return scaled_modified_bessel_k1(in[0]); },
                        elementwise([](double x) { return std::exp(x) * std::cyl_bessel_k(1, x); }))
                    .pytorch("torch.special.scaled_modified_bessel_k1"),
                uniform({}, 1, 20));
[[maybe_unused]] const bool i0e_cases = check_small(
    real(OpCases("i0e"))
        .on([](In in) { return i0e(in[0]); },
            elementwise([](double x) { return std::exp(-std::fabs(x)) * std::cyl_bessel_i(0, std::fabs(x)); }))
        .pytorch("torch.special.i0e"),
    uniform({}, 1, 40));
[[maybe_unused]] const bool i1e_cases =
    check_small(real(OpCases("i1e"))
                    .on([](In in) { return i1e(in[0]); }, elementwise([](double x) {
                          return (x < 0 ? -1 : 1) * std::exp(-std::fabs(x)) * std::cyl_bessel_i(1, std::fabs(x));
                        }))
                    .pytorch("torch.special.i1e"),
                uniform({}, -40, -1));
[[maybe_unused]] const bool spherical_cases =
    check_small(real(OpCases("spherical_bessel_j0"))
                    .on([](In in) { return spherical_bessel_j0(in[0]); },
                        elementwise([](double x) { return x == 0 ? 1 : std::sin(x) / x; }))
                    .pytorch("torch.special.spherical_bessel_j0"),
                uniform({}, -9, 9));

/// Maclaurin's series.
double airy_series(double at) {
  const long double x = at, cube = x * x * x;
  long double f = 1, g = x, even = 1, odd = x;
  for (int k = 1; k < 80; ++k) {
    even *= cube / ((3 * k - 1) * (3 * k));
    odd *= cube / ((3 * k) * (3 * k + 1));
    f += even, g += odd;
  }
  return static_cast<double>(0.355028053887817239260L * f - 0.258819403792806798405L * g);
}

[[maybe_unused]] const bool airy_cases = check_small(
    real(OpCases("airy_ai")).on([](In in) { return airy_ai(in[0]); }, elementwise(airy_series)), uniform({}, -7, 2));

/// Values of mpmath that no table reaches: small, large and special arguments.
TEST(Bessel, HasTheLimitsOfItsArguments) {
  const auto value = [](Tensor (*f)(const Tensor&), double x) { return f(tensor<double>({x})).item<double>(); };
  EXPECT_DOUBLE_EQ(value(bessel_j0, 1e-12), 1);
  EXPECT_NEAR(value(bessel_j0, 1e4), -0.0070961603533888015, 1e-16);
  EXPECT_NEAR(value(bessel_y1, 1e-10), -6366197723.6758132, 1e-5);
  EXPECT_NEAR(value(bessel_y0, 100), -0.077244313365083152, 1e-15);
  EXPECT_NEAR(value(modified_bessel_k0, 1e-10), 23.141782445598869, 1e-13);
  EXPECT_NEAR(value(scaled_modified_bessel_k1, 1e6), 0.0012533146073081549, 1e-17);
  EXPECT_NEAR(value(i0e, 1000), 0.012617240455891258, 1e-16);
  EXPECT_NEAR(value(airy_ai, 10), 1.1047532552898686e-10, 1e-24);
  EXPECT_NEAR(value(airy_ai, -40), -0.04593392343795725, 1e-13);
  constexpr double infinity = HUGE_VAL;
  EXPECT_EQ(value(bessel_j1, infinity), 0);
  EXPECT_EQ(value(bessel_y0, 0), -infinity);
  EXPECT_EQ(value(modified_bessel_k1, 0), infinity);
  EXPECT_EQ(value(modified_bessel_k0, infinity), 0);
  EXPECT_EQ(value(airy_ai, infinity), 0);
  EXPECT_EQ(value(i1e, infinity), 0);
  EXPECT_TRUE(std::isnan(value(bessel_y1, -1)));
  EXPECT_TRUE(std::isnan(value(scaled_modified_bessel_k0, -1)));
  EXPECT_TRUE(std::isnan(value(bessel_j0, NAN)));
}

/// The first terms of the expansions for large and small arguments, in double.
TEST(Bessel, OfExtremeArgumentsNeitherOverflowsNorUnderflows) {
  const auto in_float = [](Tensor (*f)(const Tensor&), double x) { return f(tensor({x})).item<double>(); };
  const auto in_double = [](Tensor (*f)(const Tensor&), double x) { return f(tensor<double>({x})).item<double>(); };
  constexpr double infinity = HUGE_VAL;
  for (const auto f : {i0, i1}) {
    EXPECT_EQ(in_float(f, 1e38), infinity);
    EXPECT_EQ(in_double(f, 1e308), infinity);
  }
  EXPECT_EQ(in_float(i1, -1e38), -infinity);
  for (const auto f : {i0e, i1e}) {
    EXPECT_NEAR(in_float(f, 1e38) / 3.9894228e-20, 1, 1e-6);
    EXPECT_NEAR(in_double(f, 1e308) / 3.98942280401432678e-155, 1, 1e-14);
  }
  for (const auto f : {scaled_modified_bessel_k0, scaled_modified_bessel_k1})
    for (const double x : {1e30, 1e200, 1e307, 1e308})
      EXPECT_NEAR(in_double(f, x) / (1.25331413731550025 / std::sqrt(x)), 1, 1e-13) << x;
  EXPECT_NEAR(std::hypot(in_double(bessel_j0, 1e308), in_double(bessel_y0, 1e308)) / 7.97884560802865356e-155, 1,
              1e-14);
  EXPECT_EQ(in_double(airy_ai, -infinity), 0);
}

TEST(Bessel, HasInfiniteGradientsAtItsPoles) {
  const auto slopes = [](Tensor (*f)(const Tensor&)) {
    std::vector<double> found;
    for (const DType dtype : {DType::float64, DType::float32}) {
      const Tensor x = tensor({0.0, 1e-40, 1e-30}, {.dtype = dtype}).requires_grad(true);
      const std::vector<double> of = grad({sum(f(x))}, {x})[0].to_vector<double>();
      found.push_back(of[0]);
      if (dtype == DType::float32) found.insert(found.end(), of.begin() + 1, of.end());
    }
    return found;  // 0 in float64, then 0, 1e-40 and 1e-30 in float32
  };
  constexpr double infinity = HUGE_VAL;
  for (const auto f : {modified_bessel_k1, scaled_modified_bessel_k1})
    EXPECT_EQ(slopes(f), (std::vector<double>{-infinity, -infinity, -infinity, -infinity}));
  EXPECT_EQ(slopes(bessel_y1), (std::vector<double>{infinity, infinity, infinity, infinity}));
  for (const auto f : {modified_bessel_k0, scaled_modified_bessel_k0, bessel_y0}) {
    const std::vector<double> of = slopes(f);
    const double sign = f == bessel_y0 ? 1 : -1;
    EXPECT_EQ(of[0], sign * infinity);
    EXPECT_EQ(of[1], sign * infinity);
    EXPECT_NEAR(of[3] / (sign * (f == bessel_y0 ? 6.3661977e29 : 1e30)), 1, 1e-6);
  }
}

/// Values of mpmath. The functions' slopes are differences that cancel, to 1e-5 of their terms for x = 10⁴.
TEST(ScaledBessel, HasItsSlopeForLargeArguments) {
  const std::vector<double> points{0.5, 100, 1e4, 1e6, 1e10};
  const auto expect_slopes = [&](Tensor (*f)(const Tensor&), const std::vector<double>& exact, double parity) {
    for (const DType dtype : {float32, float64}) {
      for (std::size_t i = 0; i < points.size(); ++i) {
        const Tensor x = full({2}, points[i], {.dtype = dtype}) * tensor({1.0, -1.0}).to(dtype);
        const Tensor leaf = x.detach().requires_grad(true);
        sum(f(leaf)).backward();
        const double tolerance = dtype == float32 ? 2e-7 : 1e-9;
        EXPECT_NEAR(leaf.grad()[0].item<double>() / exact[i], 1, tolerance) << points[i] << ", " << str(dtype);
        EXPECT_NEAR(leaf.grad()[1].item<double>() / (parity * exact[i]), 1, tolerance) << points[i];
      }
    }
  };
  expect_slopes(i0e,
                {-0.48861446726427837, -0.00020022627396642997, -1.9947862106984188e-7, -1.9947121500246404e-10,
                 -1.9947114020819651e-16},
                -1);
  expect_slopes(i1e,
                {0.17577286089453498, -0.00019721525628487255, -1.9944869852852435e-7, -1.9947091579556674e-10,
                 -1.9947114017827584e-16},
                1);
}

/// Iₙ(x) = ∫₀^π e^(x cos t) cos(nt) dt / π, by the trapezoidal rule, which converges exponentially.
template <int n>
double modified_bessel(double x) {
  constexpr int steps = 120;
  double y = 0;
  for (int i = 0; i <= steps; ++i)
    y += (i == 0 || i == steps ? 0.5 : 1) * std::exp(x * std::cos(M_PI * i / steps)) * std::cos(n * M_PI * i / steps);
  return y / steps;
}

[[maybe_unused]] const bool i0_cases = real(OpCases("i0"))
                                           .on([](In in) { return i0(in[0]); }, elementwise(modified_bessel<0>))
                                           .pytorch("torch.i0")
                                           .pointwise_inputs(1, uniform({}, 1, 5), false)
                                           .inputs(given({4}, {0, -2, 29, 40}).constant())
                                           .check();

[[maybe_unused]] const bool i1_cases = real(OpCases("i1"))
                                           .on([](In in) { return i1(in[0]); }, elementwise(modified_bessel<1>))
                                           .pytorch("torch.special.i1")
                                           .pointwise_inputs(1, uniform({}, 1, 5), false)
                                           .inputs(given({3}, {2, 29, 40}).constant())
                                           .check();

}  // namespace
}  // namespace minima::bessel_test
