#include "tests/ops/checks/op_cases.h"

#include <minima/amp/autocast.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/linear.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/random/generator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace minima::feed_forward_test {
namespace {

using namespace test;

double rectified(double x) { return std::max(x, 0.0); }
double gaussian(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
double by_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

/// Rows of x times weight's rows, plus the bias if there is one.
Doubles layer(const Doubles& x, const Doubles& weight, const Doubles* bias) {
  const std::int64_t out = weight.shape[0], in = weight.shape[1];
  Shape shape = x.shape;
  shape[shape.rank() - 1] = out;
  Doubles y(shape);
  for (std::int64_t i = 0; i < y.numel(); ++i) {
    double sum = bias ? bias->values[static_cast<std::size_t>(i % out)] : 0;
    for (std::int64_t k = 0; k < in; ++k)
      sum += x.values[static_cast<std::size_t>(i / out * in + k)] *
             weight.values[static_cast<std::size_t>(i % out * in + k)];
    y.values[static_cast<std::size_t>(i)] = sum;
  }
  return y;
}

/// Of x, up, up_bias, down and down_bias, or of x, up and down.
auto reference(double (*activation)(double)) {
  return [activation](const std::vector<Doubles>& in) {
    const bool biased = in.size() == 5;
    Doubles hidden = layer(in[0], in[1], biased ? &in[2] : nullptr);
    for (double& value : hidden.values) value = activation(value);
    return layer(hidden, in[biased ? 3 : 2], biased ? &in[4] : nullptr);
  };
}

template <Activation activation>
Tensor call(In in) {
  if (in.size() == 5) return feed_forward(in[0], in[1], in[2], in[3], in[4], activation);
  return feed_forward(in[0], in[1], {}, in[2], {}, activation);
}

[[maybe_unused]] const bool cases =
    OpCases("feed_forward")
        .autocast("lower precision")
        .result_layout(ResultLayout::row_major)
        .optional_input(2)
        .optional_input(4)
        .tolerance(1600)  // two sums, and half types round the hidden values; linear is as exact (below)
        .gradient_cancels()
        .without("hidden", "a call that is not recorded has hidden values, too, for its own time")
        .on(call<Activation::gelu_tanh>, reference(by_tanh))
        .inputs(normal({3, 4}), normal({8, 4}), normal({8}), normal({5, 8}), normal({5}))
        .inputs(normal({2, 3, 5}), normal({7, 5}), normal({7}), normal({4, 7}), normal({4}))
        .inputs(normal({4}), normal({8, 4}), normal({8}), normal({2, 8}), normal({2}))
        .inputs(normal({0, 4}), normal({8, 4}), normal({8}), normal({5, 8}), normal({5}))
        .inputs(normal({4000, 10}), normal({8, 10}), normal({8}), normal({5, 8}), normal({5}))
        .on(call<Activation::gelu_tanh>, reference(by_tanh), "without biases")
        .inputs(normal({3, 4}), normal({8, 4}), normal({5, 8}))
        .on(call<Activation::gelu>, reference(gaussian), "gelu")
        .inputs(normal({3, 4}), normal({6, 4}), normal({6}), normal({5, 6}), normal({5}))
        .inputs(normal({3, 4}), normal({0, 4}), normal({0}), normal({5, 0}), normal({5}))
        .on(call<Activation::relu>, reference(rectified), "relu")
        .inputs(normal({3, 4}), normal({6, 4}), normal({6}), normal({5, 6}), normal({5}))
        .error<ValueError>([] { feed_forward(sized({2, 3}), sized({4, 3}), {}, sized({3, 4}), {}, Activation::none); },
                           "feed_forward: activation must be relu, gelu or gelu_tanh; without one call linear twice")
        .error<ShapeError>([] { feed_forward(sized({2, 5}), sized({4, 3}), {}, sized({3, 4}), {}); },
                           "feed_forward: x [2, 5] has 5 features in its last dimension, but weight [4, 3] takes 3")
        .error<ShapeError>([] { feed_forward(sized({2, 3}), sized({4, 3}), sized({3}), sized({3, 4}), {}); },
                           "feed_forward: bias must be [4] for weight [4, 3], got [3]")
        .error<ShapeError>([] { feed_forward(sized({2, 3}), sized({4, 3}), {}, sized({4, 3}), {}); },
                           "feed_forward: down must be [out, 4] for up [4, 3], got float32 [4, 3]")
        .error<ShapeError>([] { feed_forward(sized({2, 3}), sized({4, 3}), {}, sized({3, 4}), sized({4})); },
                           "feed_forward: down_bias must be [3] for down [3, 4], got [4]")
        .error<DTypeError>([] { feed_forward(sized({2, 3}), sized({4, 3}), {}, sized({3, 4}, float64), {}); },
                           "feed_forward: dtypes differ: x float32 [2, 3], down float64 [3, 4]; convert them with to()")
        .error<ValueError>([] { feed_forward(Tensor(), empty({2, 3}), {}, empty({3, 2}), {}); },
                           "feed_forward: argument 0 is undefined")
        .check();

/// What both give for one input, with float32 weights under autocast to `dtype` unless it is float32.
struct Outcome {
  Tensor y;
  std::vector<Tensor> gradients;
};

template <class Layer>
Outcome run(const Layer& layer, const std::vector<Tensor>& values, DType dtype) {
  std::vector<Tensor> in;
  for (const Tensor& value : values) in.push_back(clone(value).requires_grad(true));
  Tensor y;
  {
    const amp::Autocast guard(in[0].device().type, {.dtype = bfloat16, .enabled = dtype != float32});
    y = layer(in);
  }
  sum(y.to(float32) * 0.5).backward();
  Outcome result{y.detach(), {}};
  for (const Tensor& x : in) result.gradients.push_back(x.grad());
  return result;
}

/// Equal to two linear layers bit for bit on the CPU, whose products and roundings are the same.
TEST(FeedForward, EqualsTwoLinearLayers) {
  RandomGenerator generator(3);
  const auto drawn = [&](const Shape& shape) { return randn(shape, {}, &generator); };
  const std::vector<Tensor> values{drawn({2, 9, 12}), drawn({20, 12}), drawn({20}), drawn({7, 20}), drawn({7})};
  for (const Activation activation : {Activation::relu, Activation::gelu, Activation::gelu_tanh})
    for (const DType dtype : {float32, bfloat16}) {
      const Outcome one = run(
          [&](const std::vector<Tensor>& in) { return feed_forward(in[0], in[1], in[2], in[3], in[4], activation); },
          values, dtype);
      const Outcome two = run(
          [&](const std::vector<Tensor>& in) { return linear(linear(in[0], in[1], in[2], activation), in[3], in[4]); },
          values, dtype);
      EXPECT_EQ(one.y.to_vector<float>(), two.y.to_vector<float>());
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(one.gradients[i].dtype(), float32);
        EXPECT_EQ(one.gradients[i].to_vector<float>(), two.gradients[i].to_vector<float>()) << "input " << i;
      }
    }
}

/// Weight gradients are added into `.grad`, in their place.
TEST(FeedForward, AddsItsWeightGradientsIntoTheirPlace) {
  const auto ones_of = [](const Shape& shape) { return ones(shape).requires_grad(true); };
  const Tensor x = ones({2, 3}), up = ones_of({4, 3}), down = ones_of({5, 4});
  const auto backward = [&] { sum(feed_forward(x, up, {}, down, {}, Activation::relu)).backward(); };
  backward();
  const void *const up_place = up.grad().raw_data(), *const down_place = down.grad().raw_data();
  backward();
  EXPECT_EQ(up.grad().raw_data(), up_place);
  EXPECT_EQ(down.grad().raw_data(), down_place);
  EXPECT_EQ(up.grad().to_vector<float>(), std::vector<float>(12, 20));    // 2 steps · 2 rows · 5 outputs
  EXPECT_EQ(down.grad().to_vector<float>(), std::vector<float>(20, 12));  // 2 steps · 2 rows · 3
}

/// Gradients that no one asks for are not computed.
TEST(FeedForward, ComputesOnlyTheGradientsThatAreWanted) {
  const Tensor x = ones({2, 3}), up = ones({4, 3}), down = ones({5, 4}).requires_grad(true);
  sum(feed_forward(x, up, {}, down, {}, Activation::gelu)).backward();
  EXPECT_TRUE(down.grad().defined());
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(up.grad().defined());
}

}  // namespace
}  // namespace minima::feed_forward_test
