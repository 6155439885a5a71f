#include "tests/ops/checks/op_cases.h"
#include "tests/ops/pointwise/arithmetic.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

// Arithmetic between a tensor and a number.

namespace minima::arithmetic_scalar_test {
namespace {

using namespace test;

[[maybe_unused]] const bool add_scalar_cases =
    OpCases("add scalar")
        .dtypes(all_dtypes())
        .result_dtype(number_dtype)
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return add(in[0], 3); }, elementwise([](double x) { return x + 3; }), "3")
        .pointwise_inputs(1)
        .in_place([](In in) { add_(in[0], 3); })
        .on([](In in) { return sub(in[0], 2); }, elementwise([](double x) { return x - 2; }), "sub 2")
        .pointwise_inputs(1)
        .undefined([](const Tensor& none) { add_(none, 0.5); })
        .error<DTypeError>(
            [] { add_(zeros({2}, {.dtype = DType::int64}), 0.5); },
            "add: a float32 result cannot be stored in place in int64 [2]; use the out-of-place operator "
            "or convert the tensor first")
        .error<DTypeError>([] { add_(zeros({2}, {.dtype = DType::boolean}), 1); },
                           "add: needs a tensor of numbers, got bool [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool mul_scalar_cases =
    OpCases("mul scalar")
        .dtypes(all_dtypes())
        .result_dtype(number_dtype)
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return mul(in[0], 3); }, elementwise([](double x) { return x * 3; }), "3")
        .pointwise_inputs(1)
        .in_place([](In in) { mul_(in[0], 3); })
        .error<DTypeError>(
            [] { mul_(zeros({2}, {.dtype = DType::int64}), 0.5); },
            "mul: a float32 result cannot be stored in place in int64 [2]; use the out-of-place operator "
            "or convert the tensor first")
        .check();

[[maybe_unused]] const bool div_scalar_cases =
    OpCases("div scalar")
        .dtypes(all_dtypes())
        .result_dtype(floating_dtype)
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return div(in[0], 4); }, elementwise([](double x) { return x / 4; }), "4")
        .pointwise_inputs(1)
        .in_place([](In in) { div_(in[0], 4); })
        .error<DTypeError>(
            [] { div_(zeros({2}, {.dtype = DType::int64}), 2); },
            "div: a float32 result cannot be stored in place in int64 [2]; use the out-of-place operator "
            "or convert the tensor first")
        .check();

[[maybe_unused]] const bool scalar_sub_cases =
    OpCases("scalar sub")
        .without("errors", "takes every tensor")
        .dtypes(all_dtypes())
        .result_dtype(number_dtype)
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return sub(2, in[0]); }, elementwise([](double x) { return 2 - x; }), "2")
        .pointwise_inputs(1)
        .check();

[[maybe_unused]] const bool scalar_div_cases =
    OpCases("scalar div")
        .autocast("float32")  // reciprocal in PyTorch
        .without("errors", "takes every tensor")
        .dtypes(all_dtypes())
        .result_dtype(floating_dtype)
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return div(2, in[0]); }, elementwise([](double x) { return 2 / x; }), "2")
        .pointwise_inputs(1, uniform({}, 1, 5))
        .check();

[[maybe_unused]] const bool maximum_scalar_cases =
    OpCases("maximum scalar")
        .without("hidden", "keeps the number as a tensor")
        .dtypes(all_dtypes())
        .result_dtype(number_dtype)
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return maximum(in[0], 1); }, elementwise([](double x) { return nan_max(x, 1); }), "1")
        .pointwise_inputs(1, normal({}), true)
        .on([](In in) { return maximum(1, in[0]); }, elementwise([](double x) { return nan_max(x, 1); }),
            "1 on the left")
        .inputs(normal({3, 4}))
        .error<ValueError>([] { maximum(sized({2}, int8), 300); },
                           "maximum: int8 cannot hold 300; choose another value or dtype")
        .error<ValueError>([] { maximum(sized({2}, uint8), -1); },
                           "maximum: uint8 cannot hold -1; choose another value or dtype")
        .check();

[[maybe_unused]] const bool minimum_scalar_cases =
    OpCases("minimum scalar")
        .without("hidden", "keeps the number as a tensor")
        .dtypes(all_dtypes())
        .result_dtype(number_dtype)
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return minimum(in[0], 1); }, elementwise([](double x) { return nan_min(x, 1); }), "1")
        .pointwise_inputs(1, normal({}), true)
        .on([](In in) { return minimum(1, in[0]); }, elementwise([](double x) { return nan_min(x, 1); }),
            "1 on the left")
        .inputs(normal({3, 4}))
        .error<ValueError>([] { minimum(sized({2}, int8), 300); },
                           "minimum: int8 cannot hold 300; choose another value or dtype")
        .check();

const Draw condition = whole({3, 4}, 0, 2).as(boolean);

[[maybe_unused]] const bool where_scalar_cases =
    OpCases("where scalar")
        .dtypes(all_dtypes())
        .result_dtype(number_dtype)
        .on([](In in) { return where(in[0], in[1], 2); },
            elementwise([](double c, double a) { return c != 0 ? a : 2; }), "2 last")
        .inputs(condition, normal({3, 4}))
        .inputs(condition, normal({4}))
        .inputs(whole({0, 4}, 0, 2).as(boolean), normal({4}))
        .inputs(whole({150, 300}, 0, 2).as(boolean), normal({150, 300}))
        .on([](In in) { return where(in[0], 2, in[1]); },
            elementwise([](double c, double a) { return c != 0 ? 2 : a; }), "2 first")
        .inputs(condition, normal({3, 1}))
        .error<DTypeError>([] { where(sized({2}), 1, 0); },
                           "where: the condition must be bool, got float32 [2]; compare it with something")
        .error<ValueError>([] { where(Tensor(), 1, 0); }, "where: argument 0 is undefined")
        .error<ValueError>([] { where(zeros(2, {.dtype = boolean}), sized({2}, uint8), 256); },
                           "where: uint8 cannot hold 256; choose another value or dtype")
        .check();

TEST(NumbersAsOperands, PromoteAsPyTorchs) {
  const Tensor whole = tensor({1, 2}), half = tensor({1.0, 2.0}, {.dtype = float16}), truth = tensor({true, false});
  EXPECT_EQ(maximum(whole, 1.5).dtype(), float32);
  EXPECT_EQ(maximum(half, 1.5).dtype(), float16);
  EXPECT_EQ(minimum(3, truth).dtype(), int64);
  EXPECT_EQ(maximum(truth, true).dtype(), boolean);
  EXPECT_EQ(where(truth, whole, 0.5).dtype(), float32);
  EXPECT_EQ(where(truth, 0, half).dtype(), float16);
  EXPECT_EQ(where(truth, 1, 0).dtype(), int64);
  EXPECT_EQ(where(truth, 1.0, 0).to_vector<float>(), (std::vector<float>{1, 0}));
  EXPECT_EQ(where(truth, true, false).dtype(), boolean);
}

}  // namespace
}  // namespace minima::arithmetic_scalar_test
