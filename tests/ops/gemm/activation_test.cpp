#include <minima/ops/pointwise/activation.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima {
namespace {

using namespace test;

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

[[maybe_unused]] const bool relu_cases =
    OpCases("relu")
        .dtypes(numeric_dtypes())
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return relu(in[0]); }, elementwise([](double x) { return x < 0 ? 0 : x; }))
        .pointwise_inputs(1)
        .in_place([](In in) { relu_(in[0]); })
        .error<DTypeError>([] { relu(zeros({2}, {.dtype = DType::boolean})); },
                           "relu: needs a tensor of numbers, got bool [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool gelu_cases =
    OpCases("gelu")
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return gelu(in[0]); },
            elementwise([](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }))
        .pointwise_inputs(1, {}, false)
        .error<DTypeError>([] { gelu(zeros({2}, {.dtype = DType::int64})); },
                           "gelu: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool gelu_tanh_cases =
    OpCases("gelu_tanh")
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return gelu_tanh(in[0]); }, elementwise([](double x) {
              return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
            }))
        .pointwise_inputs(1, {}, false)
        .error<DTypeError>([] { gelu_tanh(zeros({2}, {.dtype = DType::int64})); },
                           "gelu_tanh: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool sigmoid_cases =
    OpCases("sigmoid")
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return sigmoid(in[0]); }, elementwise(sigmoid_of))
        .pointwise_inputs(1)
        .error<DTypeError>([] { sigmoid(zeros({2}, {.dtype = DType::int64})); },
                           "sigmoid: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool tanh_cases =
    OpCases("tanh")
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return tanh(in[0]); }, elementwise([](double x) { return std::tanh(x); }))
        .pointwise_inputs(1)
        .error<DTypeError>([] { tanh(zeros({2}, {.dtype = DType::int64})); },
                           "tanh: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool silu_cases =
    OpCases("silu")
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return silu(in[0]); }, elementwise([](double x) { return x * sigmoid_of(x); }))
        .pointwise_inputs(1, {}, false)
        .error<DTypeError>([] { silu(zeros({2}, {.dtype = DType::int64})); },
                           "silu: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

}  // namespace
}  // namespace minima
