#include "tests/ops/checks/op_cases.h"
#include "tests/ops/checks/sample.h"

#include <minima/autograd/backward.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

// Derivatives where formulas evaluate 0/0 or 0·∞, at NaN, and of empty tensors; as in PyTorch.

namespace minima::edge_gradient_test {
namespace {

using Function = std::function<Tensor(const Tensor&)>;
using Values = std::vector<double>;

constexpr double inf = INFINITY, nan = NAN;

Tensor vector_of(const Values& values, DType dtype) {
  return from_vector(values, {static_cast<std::int64_t>(values.size())}).to(dtype);
}

void expect_values(const Tensor& got, const Values& expected, const std::string& text) {
  ASSERT_TRUE(got.defined()) << text;
  const auto values = got.to_vector<double>();
  ASSERT_EQ(values.size(), expected.size()) << text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool same = std::isnan(expected[i])   ? std::isnan(values[i])
                      : std::isinf(expected[i]) ? values[i] == expected[i]
                                                : std::abs(values[i] - expected[i]) <= 1e-5 * std::abs(expected[i]);
    EXPECT_TRUE(same) << text << ", element " << i << " is " << values[i] << ", expected " << expected[i];
  }
}

/// The gradient from fused kernels and from the differentiable formulas.
void expect_gradient(const std::string& name, const Function& f, const Values& at, const Values& expected,
                     const Values& upstream = {}) {
  for (const DType dtype : {float32, float64}) {
    const Tensor x = vector_of(at, dtype).requires_grad(true), y = f(x);
    ASSERT_TRUE(y.requires_grad()) << name << " lost its graph";
    const Tensor g = upstream.empty() ? ones_like(y.detach()) : vector_of(upstream, dtype);
    const std::string text = name + " in " + minima::name(dtype);
    backward({y}, {g});
    expect_values(x.grad(), expected, text + ", fused");
    expect_values(grad({f(x)}, {x}, {g}, {.create_graph = true})[0].detach(), expected, text + ", by formula");
  }
}

TEST(GradientAtNan, IsPyTorchs) {
  const auto at_nan = [](const std::string& name, const Function& f, double expected) {
    expect_gradient(name, f, {nan, nan}, {expected, expected});
  };
  at_nan("relu", relu, 1);
  at_nan("leaky_relu", [](const Tensor& x) { return leaky_relu(x, 0.25); }, 0.25);
  at_nan("prelu", [](const Tensor& x) { return prelu(x, full({1}, 0.25, {.dtype = x.dtype()})); }, 0.25);
  at_nan("relu6", relu6, 0);
  at_nan("hardtanh", [](const Tensor& x) { return hardtanh(x); }, 0);
  at_nan("hardsigmoid", hardsigmoid, 0);
  at_nan("hardshrink", [](const Tensor& x) { return hardshrink(x); }, 0);
  at_nan("softshrink", [](const Tensor& x) { return softshrink(x); }, 0);
  at_nan("hardswish", hardswish, nan);
  at_nan("clamp", [](const Tensor& x) { return clamp(x, -1, 1); }, 0);
  at_nan("abs", abs, 0);
  at_nan("sign", sign, 0);
  for (const auto& [name, f] :
       std::vector<std::pair<std::string, Function>>{{"elu", [](const Tensor& x) { return elu(x); }},
                                                     {"selu", selu},
                                                     {"celu", [](const Tensor& x) { return celu(x); }},
                                                     {"softplus", [](const Tensor& x) { return softplus(x); }},
                                                     {"mish", mish},
                                                     {"softsign", softsign},
                                                     {"log_sigmoid", log_sigmoid},
                                                     {"gelu", gelu},
                                                     {"silu", silu}})
    at_nan(name, f, nan);
  const auto of_zero = [](const Tensor& x) { return zeros_like(x.detach()); };
  at_nan("maximum", [&](const Tensor& x) { return maximum(x, of_zero(x)); }, 1);
  at_nan("minimum", [&](const Tensor& x) { return minimum(of_zero(x), x); }, 1);
  at_nan("l1_loss", [&](const Tensor& x) { return l1_loss(x, of_zero(x), Reduction::sum); }, 0);
  at_nan("smooth_l1_loss", [&](const Tensor& x) { return smooth_l1_loss(x, of_zero(x), 1, Reduction::sum); }, nan);
  at_nan("huber_loss", [&](const Tensor& x) { return huber_loss(x, of_zero(x), 1, Reduction::sum); }, nan);
  at_nan(
      "linear with relu",
      [](const Tensor& x) {
        return linear(reshape(x, {2, 1}), ones({1, 1}, {.dtype = x.dtype()}), {}, Activation::relu);
      },
      1);
}

TEST(GradientAtNan, TheOtherOfTwoGetsItsGradientToo) {
  for (const auto& f : {static_cast<Tensor (*)(const Tensor&, const Tensor&)>(maximum),
                        static_cast<Tensor (*)(const Tensor&, const Tensor&)>(minimum)}) {
    const Tensor a = tensor<float>({NAN, 1, 2, NAN}).requires_grad(true),
                 b = tensor<float>({1, NAN, 2, NAN}).requires_grad(true);
    sum(f(a, b)).backward();
    expect_values(a.grad(), {1, 1, 0.5, 1}, "first");
    expect_values(b.grad(), {1, 1, 0.5, 1}, "second");
  }
}

TEST(GradientOfPieces, IsZeroWhereTheDerivativeIsWhateverComesIn) {
  const Values upstream{inf, nan};
  expect_gradient("relu", relu, {-1, -1}, {0, 0}, upstream);
  expect_gradient("relu6", relu6, {-1, 7}, {0, 0}, upstream);
  expect_gradient("hardswish", hardswish, {-4, -3}, {0, 0}, upstream);
  expect_gradient("hardsigmoid", hardsigmoid, {-4, 4}, {0, 0}, upstream);
  expect_gradient("hardshrink", [](const Tensor& x) { return hardshrink(x); }, {0.1, 0}, {0, 0}, upstream);
  expect_gradient("clamp", [](const Tensor& x) { return clamp(x, -1, 1); }, {-2, 2}, {0, 0}, upstream);
  expect_gradient(
      "maximum", [](const Tensor& x) { return maximum(x, zeros_like(x.detach())); }, {-1, -1}, {0, 0}, upstream);
  expect_gradient("floor", floor, {0.5, 1.5}, {0, 0}, upstream);
  expect_gradient("pow(x, 0)", [](const Tensor& x) { return pow(x, 0); }, {0, 2}, {0, 0}, upstream);
}

TEST(GradientAtZero, OfTheStandardDeviation) {
  const Function deviation = [](const Tensor& x) { return minima::std(x); };
  expect_gradient("std", deviation, {1, 1, 1}, {0, 0, 0});
  expect_gradient("std", deviation, {0, 0}, {0, 0});
  expect_gradient("std", deviation, {0, 2}, {-1 / std::sqrt(2.0), 1 / std::sqrt(2.0)});
  expect_gradient("std of rows", [](const Tensor& x) { return minima::std(reshape(x, {2, 2}), {1}, 0); }, {3, 3, 0, 2},
                  {0, 0, -0.5, 0.5});
  expect_gradient("std of one", deviation, {1}, {nan});
  expect_gradient("√var", [](const Tensor& x) { return sqrt(var(x)); }, {1, 1, 1}, {nan, nan, nan});
}

TEST(GradientAtZero, OfNorms) {
  for (const double p : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, inf, -1.0, -2.0, -inf}) {
    const Function f = [p](const Tensor& x) { return norm(x, p); };
    expect_gradient("norm of zeros with p = " + std::to_string(p), f, {0, 0}, {0, 0});
  }
  expect_gradient("norm with p = 0.5", [](const Tensor& x) { return norm(x, 0.5); }, {4, 0, 1}, {1.5, 0, 3});
  expect_gradient("norm with p = -1", [](const Tensor& x) { return norm(x, -1); }, {2, 0, 3}, {0, 0, 0});
  expect_gradient("norm with p = 0", [](const Tensor& x) { return norm(x, 0); }, {2, 0, nan}, {0, 0, 0});
  EXPECT_EQ(norm(tensor<float>({2, 0, NAN}), 0).item<float>(), 2);
  EXPECT_EQ(norm(tensor<float>({2, 0, 3}), -1).item<float>(), 0);
  EXPECT_EQ(norm(tensor<float>({INFINITY, INFINITY}), -1).item<float>(), inf);
  EXPECT_THROW(norm(empty({0}), -1), ShapeError);
}

TEST(GradientAtTheOrigin, OfAtan2) {
  for (const DType dtype : {float32, float64})
    for (const bool create_graph : {false, true}) {
      const auto gradients = [&](double y, double x) {
        const Tensor a = vector_of({y}, dtype).requires_grad(true), b = vector_of({x}, dtype).requires_grad(true);
        const auto found = grad({atan2(a, b)}, {a, b}, {ones({1}, {.dtype = dtype})}, {.create_graph = create_graph});
        return std::pair{found[0].detach(), found[1].detach()};
      };
      const auto expect = [&](double y, double x, double by_y, double by_x) {
        const auto found = gradients(y, x);
        expect_values(found.first, {by_y}, "atan2 by y");
        expect_values(found.second, {by_x}, "atan2 by x");
      };
      expect(0, 0, 0, 0);
      expect(1e-25, 1e-25, 5e24, -5e24);
      expect(1e-30, 2e-30, 4e29, -2e29);
      expect(0, -1e-25, -1e25, 0);
      expect(1e25, 1e25, 5e-26, -5e-26);
      expect(3, 4, 0.16, -0.12);
      expect(inf, 2, 0, nan);
      expect(2, -inf, nan, 0);
    }
}

TEST(GradientAtInfinity, OfTheRemainder) {
  const auto by = [](double b) {
    return [b](const Tensor& x) { return remainder(full({}, -2, {.dtype = x.dtype()}), x + b); };
  };
  expect_gradient("remainder(-2, ∞)", by(inf), {0}, {1});
  expect_gradient("remainder(-2, -∞)", by(-inf), {0}, {0});
  EXPECT_EQ(
      floor_divide(tensor<float>({-2, 2, -2, 7}), tensor<float>({INFINITY, INFINITY, -INFINITY, 2})).to_vector<float>(),
      (std::vector<float>{-1, 0, 0, 3}));
}

TEST(BceWithLogits, OfInfiniteLogitsIsInfiniteWhereTheyAreWrong) {
  const Tensor x = tensor<float>({INFINITY, -INFINITY}), t = tensor<float>({0, 1});
  expect_values(binary_cross_entropy_with_logits(x, t, {.reduction = Reduction::none}), {inf, inf},
                "wrong for certain");
}

TEST(GradientOfGelu, KeepsItsTail) {
  // Φ(x) + x·φ(x) and x·Φ(x), by mpmath.
  const Values at{-12, -8, -5, -3, -1, 0, 1, 5};
  const Values slopes{-2.5578956616748956e-31, -3.979607261086796e-14, -7.1469460017922946e-6,
                      -0.011945647204183927,   -0.083315470587686298,  0.5,
                      1.0833154705876863,      1.0000071469460018};
  const Values values{-2.1317785344932148e-32, -4.9767684594174273e-15, -1.4332578593959696e-6,
                      -0.0040496940948902836,  -0.15865525393145705,    0,
                      0.84134474606854295,     4.9999985667421406};
  expect_gradient("gelu", gelu, at, slopes);
  expect_gradient(
      "linear with gelu",
      [](const Tensor& x) {
        return linear(reshape(x, {8, 1}), ones({1, 1}, {.dtype = x.dtype()}), {}, Activation::gelu);
      },
      at, slopes);
  for (const DType dtype : {float32, float64}) expect_values(gelu(vector_of(at, dtype)), values, minima::name(dtype));
}

TEST(GradientOfNothing, GraphsStay) {
  expect_gradient("norm with p = 0", [](const Tensor& x) { return norm(x, 0); }, {}, {});
  expect_gradient("norm", [](const Tensor& x) { return norm(x); }, {}, {});
  expect_gradient("logsumexp", [](const Tensor& x) { return logsumexp(x); }, {}, {});
  EXPECT_EQ(logsumexp(empty({0})).item<float>(), -inf);
  const Tensor rows = empty({3, 0}).requires_grad(true), y = logsumexp(rows, {1}, true);
  EXPECT_EQ(y.shape(), (Shape{3, 1}));
  sum(y).backward();
  EXPECT_EQ(rows.grad().shape(), (Shape{3, 0}));
}

TEST(GradientOfNothing, EveryOperatorKeepsTheGraph) {
  int rows = 0;
  for (const test::OpCases& cases : test::all_op_cases()) {
    if (!cases.has_gradient() || !cases.claims(float32)) continue;
    test::for_each_sample(cases, {.dtypes = {float32}, .arrangement = {0}, .max_numel = 1000, .requires_grad = true},
                          [&](const test::Sample& sample) {
                            bool is_empty = false;
                            for (const Tensor& input : sample.wanted()) is_empty |= input.numel() == 0;
                            if (!is_empty) return;
                            ++rows;
                            const auto outputs = test::Sample::differentiable(sample.call->call(sample.inputs));
                            EXPECT_FALSE(outputs.empty()) << sample.text();
                            if (outputs.empty()) return;
                            std::vector<Tensor> ones;
                            for (const Tensor& y : outputs) ones.push_back(ones_like(y.detach()));
                            backward(outputs, ones);
                            for (const Tensor& input : sample.wanted()) {
                              const Tensor gradient = input.grad();
                              if (gradient.defined()) {
                                EXPECT_EQ(gradient.shape(), input.shape()) << sample.text();
                              }
                            }
                          });
  }
  EXPECT_GT(rows, 100);
}

TEST(GradientAtTheEndsOfTheRange, IsFinite) {
  expect_gradient("gelu_tanh", gelu_tanh, {-3e38, -1e20, 1e20, 3e38}, {0, 0, 1, 1});
  expect_gradient("0 / x", [](const Tensor& x) { return div(zeros_like(x), x); }, {1e-45, -1e-45}, {0, 0});
  expect_gradient("atan2(x, 0)", [](const Tensor& x) { return atan2(x, zeros_like(x)); }, {1e-45, -1e-45}, {0, 0});
  expect_gradient("atan2(0, x)", [](const Tensor& x) { return atan2(zeros_like(x), x); }, {1e-45, -1e-45}, {0, 0});
}

}  // namespace
}  // namespace minima::edge_gradient_test
