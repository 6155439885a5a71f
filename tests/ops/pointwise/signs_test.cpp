#include <minima/ops/pointwise/arithmetic.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::signs_test {
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

}  // namespace
}  // namespace minima::signs_test
