#include <minima/ops/pointwise/exponential.h>

#include "tests/ops/checks/op_cases.h"
#include "tests/ops/special/rows.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/allclose.h>

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace minima::error_functions_test {
namespace {

using namespace test;

/// Takes every dtype; integers give float32.
OpCases real(OpCases cases) {
  cases.dtypes(all_dtypes()).result_dtype(floating_dtype).result_layout(ResultLayout::like_input);
  return cases;
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

OpCases unary(OpCases cases) { return real(std::move(cases)).without("errors", "takes every tensor"); }

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

/// Values of mpmath: the slope is a difference that cancels for large arguments.
TEST(Erfcx, HasItsSlopeForLargeArguments) {
  const std::vector<double> points{0.5, 30, 150, 1e4, 1e8, HUGE_VAL};
  const std::vector<double> exact{-0.5126888229025867,    -0.00062583541050748407, -2.5073421114994899e-5,
                                  -5.6418957508491275e-9, -5.641895835477562e-17,  0};
  for (const DType dtype : {float32, float64}) {
    const Tensor x = from_vector(points, {6}).to(dtype).requires_grad(true);
    sum(erfcx(x)).backward();
    const double tolerance = dtype == float32 ? 2e-7 : 1e-9;
    for (std::size_t i = 0; i < exact.size(); ++i)
      EXPECT_NEAR(x.grad()[static_cast<std::int64_t>(i)].item<double>(), exact[i], tolerance * -exact[i]) << points[i];
  }
}

}  // namespace
}  // namespace minima::error_functions_test
