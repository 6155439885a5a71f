#include <minima/ops/pointwise/arithmetic.h>

#include "tests/ops/checks/composed.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::clamp_test {
namespace {

using namespace test;

[[maybe_unused]] const bool clamp_tensors_cases =
    composed(OpCases("clamp tensors"))
        .dtypes(all_dtypes())
        .on([](In in) { return clamp(in[0], in[1], in[2]); },
            elementwise([](double x, double low, double high) { return std::fmin(std::fmax(x, low), high); }), "both")
        .pytorch("torch.clamp")
        .inputs(distinct({3, 4}), given({1}, {-0.3}), given({4}, {0.2, 0.3, 0.4, -1}))
        .inputs(distinct({0, 4}), given({1}, {-0.3}), given({4}, {0.2, 0.3, 0.4, -1}))
        .on([](In in) { return clamp(in[0], Tensor(), in[1]); },
            elementwise([](double x, double high) { return std::fmin(x, high); }), "high")
        .inputs(distinct({3, 4}), given({1}, {0.3}))
        .optional_input(1)
        .optional_input(2)
        .error<ShapeError>([] { clamp(sized({2}), sized({3}), Tensor()); },
                           "clamp: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

[[maybe_unused]] const bool nan_to_num_cases =
    composed(OpCases("nan_to_num"))
        .dtypes(all_dtypes())
        .without("errors", "takes every tensor")
        .on([](In in) { return nan_to_num(in[0], {.nan = 2, .posinf = 3, .neginf = -4}); },
            elementwise([](double x) { return std::isnan(x)   ? 2
                                              : std::isinf(x) ? (x > 0 ? 3 : -4)
                                                              : x; }), "given")
        .pytorch("lambda x: torch.nan_to_num(x, 2, 3, -4)")
        .inputs(normal({3, 4}))
        .inputs(normal({0}))
        .inputs(specials())
        .on([](In in) { return nan_to_num(in[0]); }, elementwise([](double x) { return x; }), "largest")
        .pytorch("torch.nan_to_num")
        .inputs(normal({3, 4}))
        .check();

TEST(NanToNum, ReplacesInfinitiesByTheLargestNumberOfTheDtype) {
  for (const DType dtype : {float16, bfloat16, float32, float64}) {
    const Tensor y = nan_to_num(full({1}, INFINITY, {.dtype = dtype}));
    EXPECT_TRUE(std::isfinite(y.item<double>())) << name(dtype);
    EXPECT_TRUE(std::isinf((y * 1.01).item<double>())) << name(dtype);
    EXPECT_EQ(nan_to_num(full({1}, -INFINITY, {.dtype = dtype})).item<double>(), -y.item<double>()) << name(dtype);
  }
}

[[maybe_unused]] const bool fmax_cases =
    composed(OpCases("fmax"))
        .dtypes(all_dtypes())
        .on([](In in) { return fmax(in[0], in[1]); }, elementwise([](double a, double b) { return std::fmax(a, b); }))
        .pytorch("torch.fmax")
        .inputs(distinct({3, 4}), distinct({4}))
        .inputs(distinct({0}), distinct({}))
        .inputs(specials(), normal({}))
        .error<ShapeError>([] { fmax(sized({2}), sized({3})); },
                           "fmax: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

[[maybe_unused]] const bool fmin_cases =
    composed(OpCases("fmin"))
        .dtypes(all_dtypes())
        .on([](In in) { return fmin(in[0], in[1]); }, elementwise([](double a, double b) { return std::fmin(a, b); }))
        .pytorch("torch.fmin")
        .inputs(distinct({3, 4}), distinct({4}))
        .inputs(distinct({0}), distinct({}))
        .error<ShapeError>([] { fmin(sized({2}), sized({3})); },
                           "fmin: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

[[maybe_unused]] const bool heaviside_cases =
    composed(OpCases("heaviside"))
        .dtypes(all_dtypes())
        .no_gradient()
        .on([](In in) { return heaviside(in[0], in[1]); }, elementwise([](double x, double v) {
              return x == 0 ? v : x > 0 ? 1.0 : 0.0;  // 0 for NaN
            }))
        .inputs(whole({3, 4}, -2, 3), normal({4}))
        .inputs(normal({0}), normal({}))
        .inputs(specials(), normal({}))
        .error<ShapeError>([] { heaviside(sized({2}), sized({3})); },
                           "heaviside: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<DTypeError>(
            [] { heaviside(sized({2}), sized({2}, int64)); },
            "heaviside: needs two tensors of one dtype, got float32 [2] and int64 [2]; convert them with to()")
        .check();

}  // namespace
}  // namespace minima::clamp_test
