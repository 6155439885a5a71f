#include <minima/ops/pointwise/activation.h>

#include "tests/ops/checks/composed.h"
#include "tests/ops/checks/op_cases.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace minima::activation_test {
namespace {

using namespace test;

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }
double clamp_of(double x, double low, double high) { return std::isnan(x) ? x : std::clamp(x, low, high); }
double softplus_of(double x) { return x > 20 ? x : std::log1p(std::exp(x)); }
auto elu_of(double alpha, double scale, double rate) {
  return [=](const std::vector<Doubles>& in) {
    Doubles result = in[0];
    for (double& x : result.values) x = x > 0 ? scale * x : scale * alpha * std::expm1(rate * x);
    return result;
  };
}

OpCases activation(OpCases cases) {
  cases.result_layout(ResultLayout::like_input);
  return cases;
}

[[maybe_unused]] const bool relu_cases =
    OpCases("relu")
        .dtypes(numeric_dtypes())
        .result_layout(ResultLayout::like_input)
        .on([](In in) { return relu(in[0]); }, elementwise([](double x) { return x < 0 ? 0 : x; }))
        .pytorch("torch.relu")
        .pointwise_inputs(1)
        .in_place([](In in) { relu_(in[0]); })
        .error<DTypeError>([] { relu(zeros({2}, {.dtype = DType::boolean})); },
                           "relu: needs a tensor of numbers, got bool [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool gelu_cases =
    activation(OpCases("gelu"))
        .on([](In in) { return gelu(in[0]); },
            elementwise([](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }))
        .pytorch("F.gelu")
        .pointwise_inputs(1, {}, false)
        .error<DTypeError>([] { gelu(zeros({2}, {.dtype = DType::int64})); },
                           "gelu: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool gelu_tanh_cases =
    activation(OpCases("gelu_tanh"))
        .on([](In in) { return gelu_tanh(in[0]); }, elementwise([](double x) {
              return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
            }))
        .pytorch("lambda x: F.gelu(x, approximate='tanh')")
        .pointwise_inputs(1, {}, false)
        .error<DTypeError>([] { gelu_tanh(zeros({2}, {.dtype = DType::int64})); },
                           "gelu_tanh: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool sigmoid_cases =
    activation(OpCases("sigmoid"))
        .on([](In in) { return sigmoid(in[0]); }, elementwise(sigmoid_of))
        .pytorch("torch.sigmoid")
        .pointwise_inputs(1)
        .error<DTypeError>([] { sigmoid(zeros({2}, {.dtype = DType::int64})); },
                           "sigmoid: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool silu_cases =
    activation(OpCases("silu"))
        .on([](In in) { return silu(in[0]); }, elementwise([](double x) { return x * sigmoid_of(x); }))
        .pytorch("F.silu")
        .pointwise_inputs(1, {}, false)
        .error<DTypeError>([] { silu(zeros({2}, {.dtype = DType::int64})); },
                           "silu: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool leaky_relu_cases =
    activation(OpCases("leaky_relu"))
        .on([](In in) { return leaky_relu(in[0]); }, elementwise([](double x) { return x > 0 ? x : 0.01 * x; }))
        .pytorch("F.leaky_relu")
        .pointwise_inputs(1, {}, false)
        .in_place([](In in) { leaky_relu_(in[0]); })
        .on([](In in) { return leaky_relu(in[0], 0.2); }, elementwise([](double x) { return x > 0 ? x : 0.2 * x; }),
            "slope 0.2")
        .inputs(normal({5, 7}))
        .error<DTypeError>([] { leaky_relu(zeros({2}, {.dtype = DType::int64})); },
                           "leaky_relu: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool elu_cases =
    activation(OpCases("elu"))
        .on([](In in) { return elu(in[0]); }, elu_of(1, 1, 1))
        .pytorch("F.elu")
        .pointwise_inputs(1, {}, false)
        .in_place([](In in) { elu_(in[0]); })
        .on([](In in) { return elu(in[0], 0.3); }, elu_of(0.3, 1, 1), "alpha 0.3")
        .inputs(normal({5, 7}))
        .error<DTypeError>([] { elu(zeros({2}, {.dtype = DType::int64})); },
                           "elu: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool selu_cases =
    activation(OpCases("selu"))
        .on([](In in) { return selu(in[0]); }, elu_of(1.6732632423543772, 1.0507009873554805, 1))
        .pytorch("F.selu")
        .pointwise_inputs(1, {}, false)
        .error<DTypeError>([] { selu(zeros({2}, {.dtype = DType::int64})); },
                           "selu: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool celu_cases =
    activation(OpCases("celu"))
        .on([](In in) { return celu(in[0], 0.5); }, elu_of(0.5, 1, 2), "alpha 0.5")
        .pytorch("lambda x: F.celu(x, 0.5)", "celu")
        .pointwise_inputs(1, {}, false)
        .error<ValueError>([] { celu(empty({2}), 0); }, "celu: alpha must not be 0, it divides x")
        .error<DTypeError>([] { celu(zeros({2}, {.dtype = DType::int64})); },
                           "celu: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool softplus_cases =
    activation(OpCases("softplus"))
        .autocast("float32")
        .on([](In in) { return softplus(in[0]); }, elementwise(softplus_of))
        .pytorch("F.softplus")
        .pointwise_inputs(1, {}, false)
        .on([](In in) { return softplus(in[0], 2, 1); },
            elementwise([](double x) { return 2 * x > 1 ? x : std::log1p(std::exp(2 * x)) / 2; }),
            "beta 2, threshold 1")
        .inputs(uniform({5, 7}, -2, 0.4))
        .error<DTypeError>([] { softplus(zeros({2}, {.dtype = DType::int64})); },
                           "softplus: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool mish_cases =
    activation(OpCases("mish"))
        .on([](In in) { return mish(in[0]); }, elementwise([](double x) { return x * std::tanh(softplus_of(x)); }))
        .pytorch("F.mish")
        .pointwise_inputs(1, {}, false)
        .error<DTypeError>([] { mish(zeros({2}, {.dtype = DType::int64})); },
                           "mish: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool hardswish_cases =
    activation(OpCases("hardswish"))
        .on([](In in) { return hardswish(in[0]); }, elementwise([](double x) { return x * clamp_of(x + 3, 0, 6) / 6; }))
        .pytorch("F.hardswish")
        .pointwise_inputs(1, {}, false)
        .inputs(uniform({4, 9}, -8, 8))
        .error<DTypeError>([] { hardswish(zeros({2}, {.dtype = DType::int64})); },
                           "hardswish: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool hardsigmoid_cases =
    activation(OpCases("hardsigmoid"))
        .on([](In in) { return hardsigmoid(in[0]); }, elementwise([](double x) { return clamp_of(x + 3, 0, 6) / 6; }))
        .pytorch("F.hardsigmoid")
        .pointwise_inputs(1)
        .inputs(uniform({4, 9}, -8, 8))
        .error<DTypeError>([] { hardsigmoid(zeros({2}, {.dtype = DType::int64})); },
                           "hardsigmoid: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool hardtanh_cases =
    activation(OpCases("hardtanh"))
        .on([](In in) { return hardtanh(in[0]); }, elementwise([](double x) { return clamp_of(x, -1, 1); }))
        .pytorch("F.hardtanh")
        .pointwise_inputs(1)
        .error<ValueError>([] { hardtanh(empty({2}), 2, 1); }, "hardtanh: low must not be above high, got 2 and 1")
        .error<DTypeError>([] { hardtanh(zeros({2}, {.dtype = DType::int64})); },
                           "hardtanh: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool relu6_cases =
    activation(OpCases("relu6"))
        .on([](In in) { return relu6(in[0]); }, elementwise([](double x) { return clamp_of(x, 0, 6); }))
        .pytorch("F.relu6")
        .pointwise_inputs(1, uniform({}, -3, 9))
        .error<DTypeError>([] { relu6(zeros({2}, {.dtype = DType::int64})); },
                           "relu6: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool relu_squared_cases =
    activation(OpCases("relu_squared"))
        .on([](In in) { return relu_squared(in[0]); }, elementwise([](double x) { return x < 0 ? 0 : x * x; }))
        .pointwise_inputs(1)
        .error<DTypeError>([] { relu_squared(zeros({2}, {.dtype = DType::int64})); },
                           "relu_squared: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool softsign_cases =
    activation(OpCases("softsign"))
        .on([](In in) { return softsign(in[0]); }, elementwise([](double x) { return x / (1 + std::fabs(x)); }))
        .pytorch("F.softsign")
        .pointwise_inputs(1)
        .error<DTypeError>([] { softsign(zeros({2}, {.dtype = DType::int64})); },
                           "softsign: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool log_sigmoid_cases =
    activation(OpCases("log_sigmoid"))
        .on([](In in) { return log_sigmoid(in[0]); },
            elementwise([](double x) { return std::fmin(x, 0) - std::log1p(std::exp(-std::fabs(x))); }))
        .pytorch("F.logsigmoid")
        .pointwise_inputs(1, {}, false)
        .error<DTypeError>([] { log_sigmoid(zeros({2}, {.dtype = DType::int64})); },
                           "log_sigmoid: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool hardshrink_cases =
    activation(OpCases("hardshrink"))
        .on([](In in) { return hardshrink(in[0]); }, elementwise([](double x) { return std::fabs(x) <= 0.5 ? 0 : x; }))
        .pytorch("F.hardshrink")
        .pointwise_inputs(1)
        .error<DTypeError>([] { hardshrink(zeros({2}, {.dtype = DType::int64})); },
                           "hardshrink: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool softshrink_cases =
    activation(OpCases("softshrink"))
        .on([](In in) { return softshrink(in[0]); }, elementwise([](double x) {
              return x > 0.5 ? x - 0.5 : x < -0.5 ? x + 0.5 : 0 * x;
            }))
        .pytorch("F.softshrink")
        .pointwise_inputs(1)
        .error<ValueError>([] { softshrink(empty({2}), -1); }, "softshrink: lambda must not be negative, got -1")
        .error<DTypeError>([] { softshrink(zeros({2}, {.dtype = DType::int64})); },
                           "softshrink: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

/// One weight per channel, dimension 1.
Doubles prelu_of(const std::vector<Doubles>& in) {
  Doubles result(in[0].shape);
  each_index(in[0].shape, [&](const Shape& at) {
    const double x = in[0][at];
    const double w = in[1].values[in[1].values.size() == 1 ? 0 : static_cast<std::size_t>(at[at.rank() == 1 ? 0 : 1])];
    result[at] = x > 0 ? x : w * x;
  });
  return result;
}

[[maybe_unused]] const bool prelu_cases =
    OpCases("prelu")
        .autocast("lower precision")
        .without("hidden", "it is made of other operators")
        .on([](In in) { return prelu(in[0], in[1]); }, prelu_of)
        .pytorch("F.prelu")
        .inputs(normal({3, 4, 5}), normal({4}))
        .inputs(normal({3, 4}), normal({1}))
        .inputs(normal({6}), normal({6}))
        .inputs(normal({}), normal({}))
        .inputs(normal({2, 0, 3}), normal({}))
        .inputs(normal({40, 30, 50}), normal({30}))
        .error<ShapeError>(
            [] { prelu(empty({2, 3}), empty({2})); },
            "prelu: weight must be one number or one for each of the 3 channels of x float32 [2, 3], got float32 [2]")
        .error<DTypeError>([] { prelu(zeros({2}, {.dtype = DType::int64}), empty({1})); },
                           "prelu: x must be floating, got int64 [2]; convert it with to()")
        .error<ShapeError>(
            [] { prelu(empty({2, 3}), empty({1, 3})); },
            "prelu: weight must be one number or one for each of the 3 channels of x float32 [2, 3], got "
            "float32 [1, 3]")
        .error<DTypeError>([] { prelu(empty({2, 3}), zeros({3}, {.dtype = DType::int64})); },
                           "prelu: weight must have the dtype of x float32 [2, 3], got int64 [3]; convert it with to()")
        .check();

[[maybe_unused]] const bool glu_cases =
    OpCases("glu")
        .on([](In in) { return glu(in[0], 1); },
            [](const std::vector<Doubles>& in) {
              Shape shape = in[0].shape;
              shape[1] /= 2;
              Doubles result(shape);
              each_index(shape, [&](const Shape& at) {
                Shape gate = at;
                gate[1] += shape[1];
                result[at] = in[0][at] * sigmoid_of(in[0][gate]);
              });
              return result;
            })
        .pytorch("lambda x: F.glu(x, 1)")
        .inputs(normal({3, 4, 5}))
        .inputs(normal({2, 0}))
        .inputs(normal({70, 64, 50}))
        .huge([](auto v) { glu(ones({2, 3, 4}), v); })
        .error<ShapeError>([] { glu(empty({2, 3})); },
                           "glu: the size of x float32 [2, 3] along dimension 1 must be even")
        .error<IndexError>([] { glu(empty({2}), 1); },
                           "glu: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<DTypeError>([] { glu(zeros({2, 4}, {.dtype = DType::int64})); },
                           "glu: needs a floating tensor, got int64 [2, 4]; convert it with to()")
        .error<ShapeError>([] { glu(empty(Shape{})); }, "glu: x needs a dimension to halve, got float32 []")
        .check();

[[maybe_unused]] const bool swiglu_cases =
    OpCases("swiglu")
        .on([](In in) { return swiglu(in[0], in[1]); },
            elementwise([](double gate, double x) { return gate * sigmoid_of(gate) * x; }))
        .pointwise_inputs(2, {}, false)
        .error<DTypeError>([] { swiglu(zeros({2}, {.dtype = DType::int64}), zeros({2}, {.dtype = DType::int64})); },
                           "swiglu: needs floating tensors, got int64 [2] and int64 [2]; convert them with to()")
        .error<ShapeError>([] { swiglu(empty({2}), empty({3})); },
                           "swiglu: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ and neither is 1")
        .check();

/// At corners, derivatives are PyTorch's.
TEST(Activation, CornersHavePyTorchsDerivative) {
  const auto slope = [](Tensor (*f)(const Tensor&), double at) {
    Tensor x = full({1}, at, {.dtype = float64}).requires_grad(true);
    f(x).backward();
    return x.grad().item<double>();
  };
  EXPECT_EQ(slope([](const Tensor& x) { return leaky_relu(x, 0.25); }, 0), 0.25);
  EXPECT_EQ(slope([](const Tensor& x) { return elu(x, 0.5); }, 0), 0.5);
  EXPECT_EQ(slope([](const Tensor& x) { return hardtanh(x); }, 1), 0);
  EXPECT_EQ(slope([](const Tensor& x) { return hardtanh(x); }, -1), 0);
  EXPECT_EQ(slope(relu6, 6), 0);
  EXPECT_EQ(slope(relu6, 0), 0);
  EXPECT_EQ(slope(hardsigmoid, 3), 0);
  EXPECT_EQ(slope(hardswish, 3), 1);
  EXPECT_EQ(slope(hardswish, -3), 0);
  EXPECT_EQ(slope([](const Tensor& x) { return hardshrink(x); }, 0.5), 0);
}

/// Values and derivatives of large arguments do not overflow.
TEST(Activation, LargeArgumentsStayFinite) {
  for (Tensor (*f)(const Tensor&) : {+[](const Tensor& x) { return elu(x); }, +[](const Tensor& x) { return celu(x); },
                                     selu, +[](const Tensor& x) { return softplus(x); }, mish, log_sigmoid, softsign}) {
    Tensor x = from_vector<float>({-1e4F, 1e4F}, {2}).requires_grad(true);
    const Tensor y = f(x);
    y.backward(ones({2}));
    for (const float value : y.to_vector<float>()) EXPECT_TRUE(std::isfinite(value));
    for (const float value : x.grad().to_vector<float>()) EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(Activations, TheGradientOfGeluKeepsItsDigitsFarBelowZero) {
  for (const bool create_graph : {false, true}) {
    const std::vector<float> points{-2, -4, -5, -6.5F, -8, -10};
    const Tensor x = from_vector(points, {6}).requires_grad(true);
    const Tensor slope = grad({gelu(x)}, {x}, {ones({6})}, {.create_graph = create_graph})[0];
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double at = points[i], density = std::exp(-at * at / 2) / std::sqrt(2 * M_PI);
      const double expected = std::erfc(-at / std::sqrt(2.0)) / 2 + at * density;
      EXPECT_NEAR(slope.to_vector<float>()[i] / expected, 1, 1e-5) << at << (create_graph ? ", by operators" : "");
    }
  }
}

[[maybe_unused]] const bool tanhshrink_cases =
    composed(OpCases("tanhshrink"))
        .on([](In in) { return tanhshrink(in[0]); }, elementwise([](double x) { return x - std::tanh(x); }))
        .pytorch("F.tanhshrink")
        .inputs(uniform({3, 4}, 1, 4))
        .inputs(normal({0}))
        .error<DTypeError>([] { tanhshrink(sized({2}, int64)); },
                           "tanhshrink: needs floating tensors, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool threshold_cases =
    composed(OpCases("threshold"))
        .dtypes(all_dtypes())
        .on([](In in) { return threshold(in[0], 0, 1); }, elementwise([](double x) { return x > 0 ? x : 1; }))
        .pytorch("lambda x: F.threshold(x, 0, 1)")
        .inputs(given({2, 3}, {-1, 2, -3, 0.5, -0.25, 1}))
        .inputs(normal({0}))
        .error<ValueError>([] { threshold(sized({2}, uint8), 0, 300); },
                           "threshold: uint8 cannot hold 300; choose another value or dtype")
        .check();

[[maybe_unused]] const bool sigmoid_in_place_calls =
    FunctionCases("sigmoid_").undefined([](const Tensor& none) { sigmoid_(none); }).check();

[[maybe_unused]] const bool rrelu_calls =
    FunctionCases("rrelu").undefined([](const Tensor& none) { rrelu(none); }).check();

}  // namespace
}  // namespace minima::activation_test
