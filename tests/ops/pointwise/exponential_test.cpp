#include <minima/ops/pointwise/exponential.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/inplace/in_place.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace minima::exponential_test {
namespace {

using namespace test;

/// Takes every dtype; integers give float32.
OpCases real(OpCases cases) {
  cases.dtypes(all_dtypes()).result_dtype(floating_dtype).result_layout(ResultLayout::like_input);
  return cases;
}

[[maybe_unused]] const bool exp_cases =
    real(OpCases("exp"))
        .autocast("float32")
        .on([](In in) { return exp(in[0]); }, elementwise([](double x) { return std::exp(x); }))
        .pointwise_inputs(1)
        .error<DTypeError>(
            [] { exp_(zeros({2}, {.dtype = DType::int64})); },
            "exp_: a float32 result cannot be stored in place in int64 [2]; use the out-of-place operator "
            "or convert the tensor first")
        .error<ValueError>([] { exp_(Tensor()); }, "exp_: argument 0 is undefined")
        .check();

[[maybe_unused]] const bool expm1_cases =
    real(OpCases("expm1"))
        .autocast("float32")
        .without("errors", "takes every tensor")
        .on([](In in) { return expm1(in[0]); }, elementwise([](double x) { return std::expm1(x); }))
        .pointwise_inputs(1)
        .check();

[[maybe_unused]] const bool log_cases =
    real(OpCases("log"))
        .autocast("float32")
        .without("errors", "takes every tensor")
        .on([](In in) { return log(in[0]); }, elementwise([](double x) { return std::log(x); }))
        .pointwise_inputs(1, uniform({}, 1, 5))
        .check();

[[maybe_unused]] const bool log1p_cases =
    real(OpCases("log1p"))
        .autocast("float32")
        .without("errors", "takes every tensor")
        .on([](In in) { return log1p(in[0]); }, elementwise([](double x) { return std::log1p(x); }))
        .pointwise_inputs(1, uniform({}, 0.1, 5))
        .check();

[[maybe_unused]] const bool sqrt_cases =
    real(OpCases("sqrt"))
        .on([](In in) { return sqrt(in[0]); }, elementwise([](double x) { return std::sqrt(x); }))
        .pointwise_inputs(1, uniform({}, 1, 5))
        .error<DTypeError>(
            [] { sqrt_(zeros({2}, {.dtype = DType::int64})); },
            "sqrt_: a float32 result cannot be stored in place in int64 [2]; use the out-of-place operator "
            "or convert the tensor first")
        .check();

[[maybe_unused]] const bool rsqrt_cases =
    real(OpCases("rsqrt"))
        .autocast("float32")
        .without("errors", "takes every tensor")
        .on([](In in) { return rsqrt(in[0]); }, elementwise([](double x) { return 1 / std::sqrt(x); }))
        .pointwise_inputs(1, uniform({}, 1, 5))
        .check();

[[maybe_unused]] const bool erf_cases =
    real(OpCases("erf"))
        .without("errors", "takes every tensor")
        .on([](In in) { return erf(in[0]); }, elementwise([](double x) { return std::erf(x); }))
        .pointwise_inputs(1)
        .check();

[[maybe_unused]] const bool exp2_cases =
    real(OpCases("exp2"))
        .without("errors", "takes every tensor")
        .on([](In in) { return exp2(in[0]); }, elementwise([](double x) { return std::exp2(x); }))
        .pointwise_inputs(1)
        .check();

[[maybe_unused]] const bool log2_cases =
    real(OpCases("log2"))
        .autocast("float32")
        .without("errors", "takes every tensor")
        .on([](In in) { return log2(in[0]); }, elementwise([](double x) { return std::log2(x); }))
        .pointwise_inputs(1, uniform({}, 1, 5))
        .check();

[[maybe_unused]] const bool log10_cases =
    real(OpCases("log10"))
        .autocast("float32")
        .without("errors", "takes every tensor")
        .on([](In in) { return log10(in[0]); }, elementwise([](double x) { return std::log10(x); }))
        .pointwise_inputs(1, uniform({}, 1, 5))
        .check();

[[maybe_unused]] const bool erfc_cases =
    real(OpCases("erfc"))
        .without("errors", "takes every tensor")
        .on([](In in) { return erfc(in[0]); }, elementwise([](double x) { return std::erfc(x); }))
        .pointwise_inputs(1, {}, false)
        .check();

[[maybe_unused]] const bool logaddexp_cases =
    OpCases("logaddexp")
        .dtypes(all_dtypes())
        .result_dtype(floating_dtype)
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return logaddexp(in[0], in[1]); },
            elementwise([](double a, double b) { return std::fmax(a, b) + std::log1p(std::exp(-std::fabs(a - b))); }))
        .pointwise_inputs(2, {}, false)
        .error<ShapeError>([] { logaddexp(empty({2}), empty({3})); },
                           "logaddexp: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

[[maybe_unused]] const bool pow_cases =
    real(OpCases("pow"))
        .autocast("float32")
        .on([](In in) { return pow(in[0], in[1]); }, elementwise([](double x, double y) { return std::pow(x, y); }))
        .pointwise_inputs(2, uniform({}, 1, 3), false)
        .on([](In in) { return pow(in[0], 3); }, elementwise([](double x) { return x * x * x; }), "x³")
        .pointwise_inputs(1, uniform({}, 1, 3), false)
        .error<ShapeError>([] { pow(empty({2}), empty({3})); },
                           "pow: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

[[maybe_unused]] const bool scalar_pow_cases =
    real(OpCases("scalar pow").autocast("float32").without("hidden", "keeps the number as a tensor"))
        .on([](In in) { return pow(2, in[0]); }, elementwise([](double x) { return std::pow(2, x); }), "2ˣ")
        .pointwise_inputs(1, uniform({}, 1, 3), false)
        .error<ValueError>([] { pow(2, Tensor()); }, "pow: argument 0 is undefined")
        .check();

TEST(Exponential, LogaddexpKeepsInfinities) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Tensor a = from_vector<double>({infinity, -infinity, -infinity, 1e4}, {4}),
               b = from_vector<double>({infinity, -infinity, 2, -1e4}, {4});
  EXPECT_EQ(logaddexp(a, b).to_vector<double>(), (std::vector<double>{infinity, -infinity, 2, 1e4}));
}

}  // namespace
}  // namespace minima::exponential_test
