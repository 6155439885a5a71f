#include <minima/nn/loss/loss.h>

#include <minima/ops/creation/creation.h>
#include <minima/tensor/allclose.h>

#include <gtest/gtest.h>

namespace minima::nn {
namespace {

TEST(LossModules, PassTheirOptionsOn) {
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

TEST(LossModules, WeightsAreBuffers) {
  BCEWithLogitsLoss loss({.pos_weight = ones({3})});
  EXPECT_EQ(loss.named_buffers().size(), 1U);
  EXPECT_EQ(loss.named_buffers()[0].name, "pos_weight");
}

}  // namespace
}  // namespace minima::nn
