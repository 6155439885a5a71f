#include <minima/ops/pointwise/exponential.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/inplace/in_place.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima {
namespace {

using namespace test;

/// A function of real numbers: every dtype is taken, integers give float32.
OpCases real(OpCases cases) {
  cases.dtypes(all_dtypes()).result_dtype(floating_dtype).result_layout(ResultLayout::like_input);
  return cases;
}

[[maybe_unused]] const bool exp_cases =
    real(OpCases("exp"))
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
        .without("errors", "takes every tensor")
        .on([](In in) { return expm1(in[0]); }, elementwise([](double x) { return std::expm1(x); }))
        .pointwise_inputs(1)
        .check();

[[maybe_unused]] const bool log_cases =
    real(OpCases("log"))
        .without("errors", "takes every tensor")
        .on([](In in) { return log(in[0]); }, elementwise([](double x) { return std::log(x); }))
        .pointwise_inputs(1, uniform({}, 1, 5))
        .check();

[[maybe_unused]] const bool log1p_cases =
    real(OpCases("log1p"))
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

[[maybe_unused]] const bool sin_cases =
    real(OpCases("sin"))
        .without("errors", "takes every tensor")
        .on([](In in) { return sin(in[0]); }, elementwise([](double x) { return std::sin(x); }))
        .pointwise_inputs(1, {}, false)
        .check();

[[maybe_unused]] const bool cos_cases =
    real(OpCases("cos"))
        .without("errors", "takes every tensor")
        .on([](In in) { return cos(in[0]); }, elementwise([](double x) { return std::cos(x); }))
        .pointwise_inputs(1, {}, false)
        .check();

[[maybe_unused]] const bool abs_cases =
    OpCases("abs")
        .dtypes(numeric_dtypes())
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return abs(in[0]); }, elementwise([](double x) { return std::fabs(x); }))
        .pointwise_inputs(1)
        .error<DTypeError>([] { abs(zeros({2}, {.dtype = DType::boolean})); },
                           "abs: needs a tensor of numbers, got bool [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool sign_cases =
    OpCases("sign")
        .dtypes(numeric_dtypes())
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return sign(in[0]); },
            elementwise([](double x) { return static_cast<double>((x > 0) - (x < 0)); }))
        .pointwise_inputs(1)
        .error<DTypeError>([] { sign(zeros({2}, {.dtype = DType::boolean})); },
                           "sign: needs a tensor of numbers, got bool [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool square_cases =
    OpCases("square")
        .dtypes(numeric_dtypes())
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return square(in[0]); }, elementwise([](double x) { return x * x; }))
        .pointwise_inputs(1)
        .error<DTypeError>([] { square(zeros({2}, {.dtype = DType::boolean})); },
                           "square: needs a tensor of numbers, got bool [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool pow_cases =
    real(OpCases("pow"))
        .on([](In in) { return pow(in[0], in[1]); }, elementwise([](double x, double y) { return std::pow(x, y); }))
        .pointwise_inputs(2, uniform({}, 1, 3), false)
        .on([](In in) { return pow(in[0], 3); }, elementwise([](double x) { return x * x * x; }), "x³")
        .pointwise_inputs(1, uniform({}, 1, 3), false)
        .error<ShapeError>([] { pow(empty({2}), empty({3})); },
                           "pow: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

[[maybe_unused]] const bool scalar_pow_cases =
    real(OpCases("scalar pow").without("hidden", "keeps the number as a tensor"))
        .on([](In in) { return pow(2, in[0]); }, elementwise([](double x) { return std::pow(2, x); }), "2ˣ")
        .pointwise_inputs(1, uniform({}, 1, 3), false)
        .error<ValueError>([] { pow(2, Tensor()); }, "pow: argument 0 is undefined")
        .check();

}  // namespace
}  // namespace minima
