#include <minima/nn/loss/loss.h>

#include <minima/nn/loss/margin.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/softmax.h>
#include <minima/ops/view/slice.h>
#include <minima/tensor/allclose.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace minima::nn::loss_test {
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
  expect_equal(BCELoss({.weight = weight, .reduction = Reduction::sum})(p, p),
               binary_cross_entropy(p, p, weight, Reduction::sum));
  expect_equal(KLDivLoss()(x, p), kl_div(x, p));
  expect_equal(KLDivLoss({.batchmean = true})(x, p), kl_div(x, p, Reduction::sum) / 4);
  expect_equal(KLDivLoss({.log_target = true, .batchmean = true})(x, t), kl_div_log_target(x, t, Reduction::sum) / 4);
  expect_equal(KLDivLoss({.log_target = true})(x, t), kl_div_log_target(x, t));
  const Tensor classes = randint(0, 3, {4});
  expect_equal(NLLLoss({.weight = weight})(x, classes), nll_loss(x, classes, {.weight = weight}));
}

TEST(LossModules, OfMarginsAndLikelihoodsPassTheirOptionsOn) {
  const Tensor x = randn({4, 3}), y = randn({4, 3}), z = randn({4, 3}), v = rand({4, 3}), weight = rand({3});
  const Tensor signs = sign(x), classes = randint(0, 3, {4}), lists = randint(-1, 3, {4, 3});
  const auto expect_equal = [](const Tensor& a, const Tensor& b) { EXPECT_TRUE(identical(a, b)); };
  constexpr Reduction sum = Reduction::sum;
  expect_equal(MarginRankingLoss({.margin = 0.2})(x, y, signs), margin_ranking_loss(x, y, signs, 0.2));
  expect_equal(HingeEmbeddingLoss({.margin = 0.2})(x, signs), hinge_embedding_loss(x, signs, 0.2));
  expect_equal(SoftMarginLoss({.reduction = sum})(x, signs), soft_margin_loss(x, signs, sum));
  expect_equal(MultiLabelMarginLoss({.reduction = sum})(x, lists), multilabel_margin_loss(x, lists, sum));
  expect_equal(CosineEmbeddingLoss({.margin = 0.2})(x, y, select(signs, 1, 0)),
               cosine_embedding_loss(x, y, select(signs, 1, 0), 0.2));
  expect_equal(TripletMarginLoss({.margin = 2, .swap = true})(x, y, z),
               triplet_margin_loss(x, y, z, {.margin = 2, .swap = true}));
  expect_equal(GaussianNLLLoss({.full = true})(x, y, v), gaussian_nll_loss(x, y, v, {.full = true}));
  expect_equal(PoissonNLLLoss({.full = true})(x, v), poisson_nll_loss(x, v, {.full = true}));
  expect_equal(MultiMarginLoss({.p = 2, .weight = weight})(x, classes),
               multi_margin_loss(x, classes, {.p = 2, .weight = weight}));
  expect_equal(MultiLabelSoftMarginLoss({.weight = weight})(x, v),
               multilabel_soft_margin_loss(x, v, {.weight = weight}));
  const Tensor scores = log_softmax(randn({5, 2, 3}), -1), targets = tensor<std::int64_t>({{1, 2}, {1, 0}});
  const std::vector<std::int64_t> steps{5, 4}, lengths{2, 1};
  expect_equal(CTCLoss({.reduction = sum})(scores, targets, steps, lengths),
               ctc_loss(scores, targets, steps, lengths, {.reduction = sum}));
}

TEST(LossModules, WeightsAreBuffers) {
  EXPECT_EQ(MultiMarginLoss({.weight = ones({3})}).named_buffers().size(), 1U);
  EXPECT_EQ(BCELoss({.weight = ones({3})}).named_buffers().size(), 1U);
  EXPECT_EQ(MultiLabelSoftMarginLoss({.weight = ones({3})}).named_buffers().size(), 1U);
  BCEWithLogitsLoss loss({.pos_weight = ones({3})});
  EXPECT_EQ(loss.named_buffers().size(), 1U);
  EXPECT_EQ(loss.named_buffers()[0].name, "pos_weight");
}

}  // namespace
}  // namespace minima::nn::loss_test
