#include <minima/nn/layers/activation.h>

#include <minima/ops/creation/random.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

// Modules pass their options to the functions, whose results the operators' own tests check.

namespace minima::nn::activation_test {
namespace {

void expect_same(Module&& module, const Tensor& x, const Tensor& expected) {
  EXPECT_TRUE(identical(module(x), expected));
}

TEST(ActivationModules, PassTheirOptionsOn) {
  const Tensor x = randn({6, 8}) * 3;
  expect_same(LeakyReLU({.negative_slope = 0.3}), x, leaky_relu(x, 0.3));
  expect_same(ELU({.alpha = 0.4}), x, elu(x, 0.4));
  expect_same(CELU({.alpha = 0.4}), x, celu(x, 0.4));
  expect_same(SELU(), x, selu(x));
  expect_same(Softplus({.beta = 2, .threshold = 1}), x, softplus(x, 2, 1));
  expect_same(Mish(), x, mish(x));
  expect_same(Hardswish(), x, hardswish(x));
  expect_same(Hardsigmoid(), x, hardsigmoid(x));
  expect_same(Hardtanh({.min = -2, .max = 0.5}), x, hardtanh(x, -2, 0.5));
  expect_same(ReLU6(), x, relu6(x));
  expect_same(ReLUSquared(), x, relu_squared(x));
  expect_same(Softsign(), x, softsign(x));
  expect_same(LogSigmoid(), x, log_sigmoid(x));
  expect_same(Hardshrink({.lambda = 1}), x, hardshrink(x, 1));
  expect_same(Softshrink({.lambda = 1}), x, softshrink(x, 1));
  expect_same(GLU({.dim = 0}), x, glu(x, 0));
}

TEST(ActivationModules, PReluLearnsOneSlopeOrOnePerChannel) {
  PReLU one, many({.features = 8, .init = 0.1});
  EXPECT_EQ(one.weight.shape(), Shape{1});
  EXPECT_EQ(one.weight.to_vector<float>()[0], 0.25F);
  EXPECT_EQ(many.named_parameters()[0].name, "weight");
  EXPECT_EQ(many.weight.to_vector<float>()[7], 0.1F);
  EXPECT_THROW(PReLU({.features = 0}), ValueError);
}

}  // namespace
}  // namespace minima::nn::activation_test
