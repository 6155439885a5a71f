#include "tests/ops/checks/op_cases.h"
#include "tests/ops/pointwise/arithmetic.h"

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace minima::arithmetic_test {
namespace {

using namespace test;

[[maybe_unused]] const bool add_cases =
    OpCases("add")
        .dtypes(all_dtypes())
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return add(in[0], in[1]); }, elementwise([](double a, double b) { return a + b; }))
        .pytorch("torch.add")
        .pointwise_inputs(2)
        .in_place([](In in) { add_(in[0], in[1]); })
        .error<ShapeError>([] { add(sized({2, 3}), sized({4})); },
                           "add: shapes [2, 3] and [4] do not broadcast: sizes 3 and 4 differ and neither is 1")
        .error<ShapeError>([] { add_(sized({3}), sized({2, 3})); },
                           "add: the result has shape [2, 3], but the tensor changed in place is float32 [3]")
        .error<DTypeError>(
            [] { add_(sized({3}, int64), sized({3})); },
            "add: a float32 result cannot be stored in place in int64 [3]; use the out-of-place operator or "
            "convert the tensor first")
        .error<ValueError>([] { add(empty({2}), Tensor()); }, "add: argument 1 is undefined")
        .check();

[[maybe_unused]] const bool sub_cases =
    OpCases("sub")
        .dtypes(numeric_dtypes())
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return sub(in[0], in[1]); }, elementwise([](double a, double b) { return a - b; }))
        .pytorch("torch.sub")
        .pointwise_inputs(2)
        .in_place([](In in) { sub_(in[0], in[1]); })
        .error<DTypeError>([] { sub(sized({2}, boolean), sized({2}, boolean)); },
                           "sub: needs tensors of numbers, got bool [2] and bool [2]; convert them with to()")
        .error<ShapeError>([] { sub(empty({2, 3}), empty({4})); },
                           "sub: shapes [2, 3] and [4] do not broadcast: sizes 3 and 4 differ and neither is 1")
        .error<ShapeError>([] { sub_(empty({3}), empty({2, 3})); },
                           "sub: the result has shape [2, 3], but the tensor changed in place is float32 [3]")
        .check();

[[maybe_unused]] const bool mul_cases =
    OpCases("mul")
        .dtypes(all_dtypes())
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return mul(in[0], in[1]); }, elementwise([](double a, double b) { return a * b; }))
        .pytorch("torch.mul")
        .pointwise_inputs(2)
        .in_place([](In in) { mul_(in[0], in[1]); })
        .error<ShapeError>([] { mul(empty({2, 3}), empty({4})); },
                           "mul: shapes [2, 3] and [4] do not broadcast: sizes 3 and 4 differ and neither is 1")
        .error<ShapeError>([] { mul_(empty({3}), empty({2, 3})); },
                           "mul: the result has shape [2, 3], but the tensor changed in place is float32 [3]")
        .error<DTypeError>(
            [] { mul_(zeros({3}, {.dtype = DType::int64}), empty({3})); },
            "mul: a float32 result cannot be stored in place in int64 [3]; use the out-of-place operator "
            "or convert the tensor first")
        .check();

[[maybe_unused]] const bool div_cases =
    OpCases("div")
        .dtypes(all_dtypes())
        .result_dtype(floating_dtype)
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return div(in[0], in[1]); }, elementwise([](double a, double b) { return a / b; }))
        .pytorch("torch.div")
        .pointwise_inputs(2, uniform({}, 1, 5))
        .in_place([](In in) { div_(in[0], in[1]); })
        .error<ShapeError>([] { div(empty({2, 3}), empty({4})); },
                           "div: shapes [2, 3] and [4] do not broadcast: sizes 3 and 4 differ and neither is 1")
        .error<DTypeError>(
            [] { div_(zeros({3}, {.dtype = DType::int64}), zeros({3}, {.dtype = DType::int64})); },
            "div: a float32 result cannot be stored in place in int64 [3]; use the out-of-place operator "
            "or convert the tensor first")
        .check();

[[maybe_unused]] const bool neg_cases =
    OpCases("neg")
        .dtypes(numeric_dtypes())
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return neg(in[0]); }, elementwise([](double x) { return -x; }))
        .pytorch("torch.neg")
        .pointwise_inputs(1)
        .error<DTypeError>([] { neg(zeros({2}, {.dtype = DType::boolean})); },
                           "neg: needs a tensor of numbers, got bool [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool maximum_cases =
    OpCases("maximum")
        .dtypes(all_dtypes())
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return maximum(in[0], in[1]); }, elementwise(nan_max))
        .pytorch("torch.maximum")
        .pointwise_inputs(2)
        .error<ShapeError>([] { maximum(empty({2, 3}), empty({4})); },
                           "maximum: shapes [2, 3] and [4] do not broadcast: sizes 3 and 4 differ and neither is 1")
        .check();

[[maybe_unused]] const bool minimum_cases =
    OpCases("minimum")
        .dtypes(all_dtypes())
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return minimum(in[0], in[1]); }, elementwise(nan_min))
        .pytorch("torch.minimum")
        .pointwise_inputs(2)
        .error<ShapeError>([] { minimum(empty({2, 3}), empty({4})); },
                           "minimum: shapes [2, 3] and [4] do not broadcast: sizes 3 and 4 differ and neither is 1")
        .check();

[[maybe_unused]] const bool lerp_cases =
    OpCases("lerp")
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return lerp(in[0], in[1], 0.25); },
            elementwise([](double a, double b) { return a + 0.25 * (b - a); }))
        .pytorch("lambda a, b: torch.lerp(a, b, 0.25)")
        .pointwise_inputs(2, {}, false)
        .on([](In in) { return lerp(in[0], in[1], 0.75); },
            elementwise([](double a, double b) { return a + 0.75 * (b - a); }), "weight 0.75")
        .pytorch("lambda a, b: torch.lerp(a, b, 0.75)")
        .inputs(normal({5, 7}), normal({5, 7}))
        .error<DTypeError>([] { lerp(sized({2}, int64), sized({2}, int64), 0.5); },
                           "lerp: needs floating tensors, got int64 [2] and int64 [2]; convert them with to()")
        .error<DTypeError>([] { lerp_(sized({2}, int64), sized({2}, int64), 0.5); },
                           "lerp: needs floating tensors, got int64 [2] and int64 [2]; convert them with to()")
        .error<ShapeError>([] { lerp(empty({2}), empty({3}), 0.5); },
                           "lerp: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

const Draw condition = whole({3, 4}, 0, 2).as(boolean);

[[maybe_unused]] const bool where_cases =
    OpCases("where")
        .dtypes(all_dtypes())
        .on([](In in) { return where(in[0], in[1], in[2]); },
            elementwise([](double c, double a, double b) { return c != 0 ? a : b; }))
        .pytorch("torch.where")
        .inputs(condition, normal({3, 4}), normal({3, 4}))
        .inputs(condition, normal({4}), normal({3, 1}))
        .inputs(condition, normal({}), normal({3, 4}))
        .inputs(whole({}, 0, 2).as(boolean), normal({5}), normal({5}))
        .inputs(whole({0, 4}, 0, 2).as(boolean), normal({4}), normal({0, 4}))
        .inputs(whole({150, 300}, 0, 2).as(boolean), normal({150, 300}), normal({150, 300}))
        .inputs(whole({12}, 0, 2).as(boolean), specials(), normal({12}))
        .undefined([](const Tensor& none) { where(none, 1, 0); })
        .undefined([](const Tensor& none) { where(ones({2, 2}, {.dtype = boolean}), none, 0); })
        .undefined([](const Tensor& none) { where(ones({2, 2}, {.dtype = boolean}), 0, none); })
        .error<DTypeError>([] { where(sized({2}), sized({2}), sized({2})); },
                           "where: the condition must be bool, got float32 [2]; compare it with something")
        .error<ShapeError>([] { where(zeros({2}, {.dtype = DType::boolean}), empty({3}), empty({3})); },
                           "where: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .error<ShapeError>([] { where(zeros({3}, {.dtype = DType::boolean}), empty({3}), empty({2})); },
                           "where: shapes [3] and [2] do not broadcast: sizes 3 and 2 differ and neither is 1")
        .check();

[[maybe_unused]] const bool abs_cases =
    OpCases("abs")
        .dtypes(numeric_dtypes())
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return abs(in[0]); }, elementwise([](double x) { return std::fabs(x); }))
        .pytorch("torch.abs")
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
        .pytorch("torch.sign")
        .pointwise_inputs(1)
        .error<DTypeError>([] { sign(zeros({2}, {.dtype = DType::boolean})); },
                           "sign: needs a tensor of numbers, got bool [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool square_cases =
    OpCases("square")
        .autocast("float32")
        .dtypes(numeric_dtypes())
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return square(in[0]); }, elementwise([](double x) { return x * x; }))
        .pytorch("torch.square")
        .pointwise_inputs(1)
        .error<DTypeError>([] { square(zeros({2}, {.dtype = DType::boolean})); },
                           "square: needs a tensor of numbers, got bool [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool reciprocal_cases =
    OpCases("reciprocal")
        .autocast("float32")
        .dtypes(all_dtypes())
        .result_dtype(floating_dtype)
        .result_layout(ResultLayout::like_input)
        .without("errors", "takes every tensor")
        .on([](In in) { return reciprocal(in[0]); }, elementwise([](double x) { return 1 / x; }))
        .pytorch("torch.reciprocal")
        .pointwise_inputs(1, uniform({}, 1, 5))
        .check();

[[maybe_unused]] const bool clamp_cases =
    OpCases("clamp")
        .without("ShapeError", "tensors as bounds have a table in clamp_test.cpp")
        .dtypes(all_dtypes())
        .result_dtype(number_dtype)
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return clamp(in[0], 0, 1); }, elementwise([](double x) { return x < 0   ? 0
                                                                                        : x > 1 ? 1
                                                                                                : x; }),
            "0 to 1")
        .pointwise_inputs(1)
        .recorded("clamp", "lambda x: x.clamp(-1, 2)", [](In in) { return clamp(in[0], -1, 2); })
        .error<DTypeError>([] { clamp_(zeros({2}, {.dtype = DType::int64}), 0.5, 1); },
                           "clamp_: a float32 result cannot be stored in place in int64 [2]; use the out-of-place "
                           "operator or convert the tensor first")
        .error<ValueError>([] { clamp(Tensor(), 0, 1); }, "clamp: argument 0 is undefined")
        .error<DTypeError>([] { clamp_(zeros({2}, {.dtype = DType::boolean}), 0, 1); },
                           "clamp_: a int64 result cannot be stored in place in bool [2]")
        .check();

[[maybe_unused]] const bool clamp_min_cases =
    OpCases("clamp_min")
        .also_calls("clamp")
        .dtypes(all_dtypes())
        .result_dtype(number_dtype)
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return clamp_min(in[0], 1); }, elementwise([](double x) { return x < 1 ? 1 : x; }), "1")
        .pointwise_inputs(1)
        .error<ValueError>([] { clamp_min(Tensor(), 0); }, "clamp: argument 0 is undefined")
        .check();

[[maybe_unused]] const bool clamp_max_cases =
    OpCases("clamp_max")
        .also_calls("clamp")
        .dtypes(all_dtypes())
        .result_dtype(number_dtype)
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return clamp_max(in[0], 1); }, elementwise([](double x) { return x > 1 ? 1 : x; }), "1")
        .pointwise_inputs(1)
        .error<ValueError>([] { clamp_max(Tensor(), 0); }, "clamp: argument 0 is undefined")
        .check();

[[maybe_unused]] const bool fill_cases =
    OpCases("fill_")
        .also_calls("clone")
        .dtypes(all_dtypes())
        .on(
            [](In in) {
              const Tensor y = clone(in[0]);
              fill_(y, 1);
              return y;
            },
            elementwise([](double) { return 1.0; }), "1")
        .pointwise_inputs(1)
        .in_place([](In in) { fill_(in[0], 1); })
        .error<ValueError>([] { fill_(expand(empty({1}), {3}), 1); },
                           "fill_: several elements of float32 [3] share memory (it was expanded?); clone it first")
        .error<ValueError>([] { fill_(Tensor(), 1); }, "fill_: argument 0 is undefined")
        .error<ValueError>([] { fill_(zeros({2}, {.dtype = DType::uint8}), 300); },
                           "fill_: uint8 cannot hold 300; choose another value or dtype")
        .error<ValueError>([] { fill_(zeros({2}, {.dtype = DType::int64}), NAN); },
                           "fill_: int64 cannot hold nan; choose another value or dtype")
        .error<ValueError>([] { fill_(empty({2}), 1e300); },
                           "fill_: float32 cannot hold 1e+300; choose another value or dtype")
        .error<ValueError>([] { fill_(zeros({2}, {.dtype = DType::float16}), 1e6); },
                           "fill_: float16 cannot hold 1e+06; choose another value or dtype")
        .check();

TEST(Clamp, OneBoundLeavesTheOtherOpen) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Tensor x = tensor<double>({-infinity, -2, 0, 2, infinity});
  EXPECT_EQ(clamp_min(x, 0).to_vector<double>(), (std::vector<double>{0, 0, 0, 2, infinity}));
  EXPECT_EQ(clamp_max(x, 0).to_vector<double>(), (std::vector<double>{-infinity, -2, 0, 0, 0}));
  const Tensor extreme = tensor({INT64_MIN, INT64_MAX});
  EXPECT_EQ(clamp_min(extreme, 0).to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, INT64_MAX}));
  EXPECT_EQ(clamp_max(extreme, 0).to_vector<std::int64_t>(), (std::vector<std::int64_t>{INT64_MIN, 0}));
  EXPECT_EQ(clamp_min(tensor<std::int8_t>({-128, 127}), 1).to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{1, 127}));
  EXPECT_EQ(clamp_min(tensor({1, 3}), 1.5).to_vector<float>(), (std::vector<float>{1.5, 3}));
}

[[maybe_unused]] const bool clamp_in_place_calls =
    FunctionCases("clamp_").undefined([](const Tensor& none) { clamp_(none, 0, 1); }).check();

[[maybe_unused]] const bool neg_in_place_calls =
    FunctionCases("neg_").undefined([](const Tensor& none) { neg_(none); }).check();

[[maybe_unused]] const bool zero_in_place_calls =
    FunctionCases("zero_").undefined([](const Tensor& none) { zero_(none); }).check();

}  // namespace
}  // namespace minima::arithmetic_test
