#include <minima/nn/layers/rectifier.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/loss/loss.h>
#include <minima/nn/norm/group_norm.h>

#include <minima/ops/creation/creation.h>
#include <minima/ops/group_norm/group_norm.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/rms_norm/rms_norm.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

// That modules hand their options on; what the functions compute has tables of its own.

namespace minima::nn {
namespace {

void expect_same(Module&& module, const Tensor& x, const Tensor& expected) {
  EXPECT_TRUE(identical(module(x), expected));
}

TEST(RectifierModules, HandTheirOptionsOn) {
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
  expect_same(Softsign(), x, softsign(x));
  expect_same(LogSigmoid(), x, log_sigmoid(x));
  expect_same(Hardshrink({.lambda = 1}), x, hardshrink(x, 1));
  expect_same(Softshrink({.lambda = 1}), x, softshrink(x, 1));
  expect_same(GLU({.dim = 0}), x, glu(x, 0));
}

TEST(RectifierModules, PReluLearnsOneSlopeOrOnePerChannel) {
  PReLU one, many({.features = 8, .init = 0.1});
  EXPECT_EQ(one.weight.shape(), Shape{1});
  EXPECT_EQ(one.weight.to_vector<float>()[0], 0.25F);
  EXPECT_EQ(many.named_parameters()[0].name, "weight");
  EXPECT_EQ(many.weight.to_vector<float>()[7], 0.1F);
  EXPECT_THROW(PReLU({.features = 0}), ValueError);
}

TEST(LossModules, HandTheirOptionsOn) {
  const Tensor x = randn({4, 3}), t = randn({4, 3}), p = rand({4, 3}), weight = rand({3});
  const auto expect_equal = [](const Tensor& a, const Tensor& b) { EXPECT_TRUE(identical(a, b)); };
  expect_equal(MSELoss({.reduction = Reduction::sum})(x, t), mse_loss(x, t, Reduction::sum));
  expect_equal(L1Loss({.reduction = Reduction::none})(x, t), l1_loss(x, t, Reduction::none));
  expect_equal(SmoothL1Loss({.beta = 0.2})(x, t), smooth_l1_loss(x, t, 0.2));
  expect_equal(HuberLoss({.delta = 0.2})(x, t), huber_loss(x, t, 0.2));
  expect_equal(BCELoss()(p, p), binary_cross_entropy(p, p));
  expect_equal(BCEWithLogitsLoss({.weight = weight, .pos_weight = weight})(x, p),
               binary_cross_entropy_with_logits(x, p, {.weight = weight, .pos_weight = weight}));
  expect_equal(KLDivLoss()(x, p), kl_div(x, p));
  expect_equal(KLDivLoss({.log_target = true})(x, t), kl_div_log_target(x, t));
  const Tensor classes = randint(0, 3, {4});
  expect_equal(NLLLoss({.weight = weight})(x, classes), nll_loss(x, classes, {.weight = weight}));
}

TEST(LossModules, WeightsAreBuffersThatMoveWithThem) {
  BCEWithLogitsLoss loss({.pos_weight = ones({3})});
  EXPECT_EQ(loss.named_buffers().size(), 1U);
  EXPECT_EQ(loss.named_buffers()[0].name, "pos_weight");
}

TEST(GroupNormModule, NormalisesWithWeightAndBias) {
  GroupNorm norm({.groups = 2, .channels = 4});
  const Tensor x = randn({3, 4, 5});
  expect_same(GroupNorm({.groups = 2, .channels = 4}), x, group_norm(x, 2, ones({4}), zeros({4})));
  EXPECT_EQ(norm.parameters().size(), 2U);
  EXPECT_EQ(GroupNorm({.groups = 2, .channels = 4, .affine = false}).parameters().size(), 0U);
  EXPECT_THROW(GroupNorm({.groups = 3, .channels = 4}), ValueError);
}

TEST(RmsNormModule, NormalisesWithWeight) {
  const Tensor x = randn({3, 5});
  expect_same(RMSNorm({.shape = {5}}), x, rms_norm(x, {5}, ones({5})));
  EXPECT_THROW(RMSNorm({}), ValueError);
}

}  // namespace
}  // namespace minima::nn
