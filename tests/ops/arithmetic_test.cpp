#include "tests/ops/op_cases.h"

#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/error.h>

#include <algorithm>
#include <cmath>

namespace minima {
namespace {

using namespace test;

Tensor sized(const Shape& shape, DType dtype = float32) { return empty(shape, {.dtype = dtype}); }

/// bool with a whole number gives int64.
DType number_dtype(DType dtype) { return dtype == boolean ? int64 : dtype; }

double nan_max(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b); }
double nan_min(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b); }

[[maybe_unused]] const bool add_cases = OpCases("add")
    .dtypes(all_dtypes())
    .result_layout(ResultLayout::like_input)
    .on([](In in) { return add(in[0], in[1]); }, elementwise([](double a, double b) { return a + b; }))
    .pointwise_inputs(2)
    .in_place([](In in) { add_(in[0], in[1]); })
    .error<ShapeError>([] { add(sized({2, 3}), sized({4})); },
                       "add: shapes [2, 3] and [4] do not broadcast: sizes 3 and 4 differ and neither is 1")
    .error<ShapeError>([] { add_(sized({3}), sized({2, 3})); },
                       "add: the result has shape [2, 3], but the tensor changed in place is float32 [3]")
    .error<DTypeError>([] { add_(sized({3}, int64), sized({3})); },
                       "add: a float32 result cannot be stored in place in int64 [3]; use the out-of-place operator or "
                       "convert the tensor first")
    .check();

[[maybe_unused]] const bool sub_cases = OpCases("sub")
    .dtypes(numeric_dtypes())
    .result_layout(ResultLayout::like_input)
    .on([](In in) { return sub(in[0], in[1]); }, elementwise([](double a, double b) { return a - b; }))
    .pointwise_inputs(2)
    .in_place([](In in) { sub_(in[0], in[1]); })
    .error<DTypeError>([] { sub(sized({2}, boolean), sized({2}, boolean)); }, "sub: no kernel for bool")
    .check();

[[maybe_unused]] const bool mul_cases = OpCases("mul")
    .dtypes(all_dtypes())
    .result_layout(ResultLayout::like_input)
    .on([](In in) { return mul(in[0], in[1]); }, elementwise([](double a, double b) { return a * b; }))
    .pointwise_inputs(2)
    .in_place([](In in) { mul_(in[0], in[1]); })
    .check();

[[maybe_unused]] const bool div_cases = OpCases("div")
    .dtypes(all_dtypes())
    .result_dtype(floating_dtype)
    .result_layout(ResultLayout::like_input)
    .on([](In in) { return div(in[0], in[1]); }, elementwise([](double a, double b) { return a / b; }))
    .pointwise_inputs(2, uniform({}, 1, 5))
    .in_place([](In in) { div_(in[0], in[1]); })
    .check();

[[maybe_unused]] const bool neg_cases = OpCases("neg")
    .dtypes(numeric_dtypes())
    .result_layout(ResultLayout::like_input)
    .on([](In in) { return neg(in[0]); }, elementwise([](double x) { return -x; }))
    .pointwise_inputs(1)
    .check();

[[maybe_unused]] const bool maximum_cases = OpCases("maximum")
    .dtypes(all_dtypes())
    .result_layout(ResultLayout::like_input)
    .on([](In in) { return maximum(in[0], in[1]); }, elementwise(nan_max))
    .pointwise_inputs(2)
    .check();

[[maybe_unused]] const bool minimum_cases = OpCases("minimum")
    .dtypes(all_dtypes())
    .result_layout(ResultLayout::like_input)
    .on([](In in) { return minimum(in[0], in[1]); }, elementwise(nan_min))
    .pointwise_inputs(2)
    .check();

const Draw condition = whole({3, 4}, 0, 2).as(boolean);

[[maybe_unused]] const bool where_cases = OpCases("where")
    .dtypes(all_dtypes())
    .on([](In in) { return where(in[0], in[1], in[2]); },
        elementwise([](double c, double a, double b) { return c != 0 ? a : b; }))
    .inputs(condition, normal({3, 4}), normal({3, 4}))
    .inputs(condition, normal({4}), normal({3, 1}))
    .inputs(condition, normal({}), normal({3, 4}))
    .inputs(whole({}, 0, 2).as(boolean), normal({5}), normal({5}))
    .inputs(whole({0, 4}, 0, 2).as(boolean), normal({4}), normal({0, 4}))
    .inputs(whole({150, 300}, 0, 2).as(boolean), normal({150, 300}), normal({150, 300}))
    .inputs(whole({12}, 0, 2).as(boolean), specials(), normal({12}))
    .error<DTypeError>([] { where(sized({2}), sized({2}), sized({2})); },
                       "where: the condition must be bool, got float32 [2]; compare it with something")
    .check();

[[maybe_unused]] const bool add_scalar_cases = OpCases("add scalar")
    .dtypes(all_dtypes())
    .result_dtype(number_dtype)
    .result_layout(ResultLayout::like_input)
    .on([](In in) { return add(in[0], 3); }, elementwise([](double x) { return x + 3; }), "3")
    .pointwise_inputs(1)
    .in_place([](In in) { add_(in[0], 3); })
    .on([](In in) { return sub(in[0], 2); }, elementwise([](double x) { return x - 2; }), "sub 2")
    .pointwise_inputs(1)
    .check();

[[maybe_unused]] const bool mul_scalar_cases = OpCases("mul scalar")
    .dtypes(all_dtypes())
    .result_dtype(number_dtype)
    .result_layout(ResultLayout::like_input)
    .on([](In in) { return mul(in[0], 3); }, elementwise([](double x) { return x * 3; }), "3")
    .pointwise_inputs(1)
    .in_place([](In in) { mul_(in[0], 3); })
    .check();

[[maybe_unused]] const bool div_scalar_cases = OpCases("div scalar")
    .dtypes(all_dtypes())
    .result_dtype(floating_dtype)
    .result_layout(ResultLayout::like_input)
    .on([](In in) { return div(in[0], 4); }, elementwise([](double x) { return x / 4; }), "4")
    .pointwise_inputs(1)
    .in_place([](In in) { div_(in[0], 4); })
    .check();

[[maybe_unused]] const bool scalar_sub_cases = OpCases("scalar sub")
    .dtypes(all_dtypes())
    .result_dtype(number_dtype)
    .result_layout(ResultLayout::like_input)
    .on([](In in) { return sub(2, in[0]); }, elementwise([](double x) { return 2 - x; }), "2")
    .pointwise_inputs(1)
    .check();

[[maybe_unused]] const bool scalar_div_cases = OpCases("scalar div")
    .dtypes(all_dtypes())
    .result_dtype(floating_dtype)
    .result_layout(ResultLayout::like_input)
    .on([](In in) { return div(2, in[0]); }, elementwise([](double x) { return 2 / x; }), "2")
    .pointwise_inputs(1, uniform({}, 1, 5))
    .check();

[[maybe_unused]] const bool clamp_cases = OpCases("clamp")
    .dtypes(all_dtypes())
    .result_dtype(number_dtype)
    .result_layout(ResultLayout::like_input)
    .on([](In in) { return clamp(in[0], 0, 1); }, elementwise([](double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }), "0 to 1")
    .pointwise_inputs(1)
    .check();

[[maybe_unused]] const bool fill_cases = OpCases("fill_")
    .dtypes(all_dtypes())
    .on([](In in) {
          const Tensor y = clone(in[0]);
          fill_(y, 1);
          return y;
        },
        elementwise([](double) { return 1.0; }), "1")
    .pointwise_inputs(1)
    .in_place([](In in) { fill_(in[0], 1); })
    .check();

}  // namespace
}  // namespace minima
