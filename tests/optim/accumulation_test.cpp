#include <minima/optim/gradient/accumulation.h>

#include <minima/autograd/backward.h>
#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/loss/token_loss.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/elementwise/sgd.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

// Accumulation by counts: a step of several batches is that of one large batch, however the targets are divided.

namespace minima::optim::accumulation_test {
namespace {

using Numbers = std::vector<float>;

/// Σ (x·w - y)² over rows [first, stop) of small integers, whose sums are exact in any order.
TokenLoss squares(const Tensor& w, std::int64_t first, std::int64_t stop) {
  RandomGenerator generator(3);
  const Tensor x = slice(randint(-4, 5, {10, 3}, {}, &generator).to(float32), 0, first, stop);
  const Tensor y = slice(arange(10).to(float32), 0, first, stop);
  const Tensor count = full({}, static_cast<double>(stop - first), {.dtype = float64});
  return {sum(square(matmul(x, w) - y)), count};
}

TEST(CountedAccumulation, PartsOfOneAndNineAreOneBatchToTheBit) {
  const Tensor w = tensor<float>({1, -2, 3}).requires_grad(true), v = clone(w.detach()).requires_grad(true);
  SGD one({w}, {.lr = 0.01, .momentum = 0.9}), two({v}, {.lr = 0.01, .momentum = 0.9});
  Accumulation whole(1), parts(2);
  for (int step = 0; step < 2; ++step) {
    one.zero_grad(), two.zero_grad();
    const TokenLoss all = squares(w, 0, 10);
    whole.part(all).backward();
    parts.part(squares(v, 0, 1)).backward();
    EXPECT_FALSE(parts.is_complete());
    parts.part(squares(v, 1, 10)).backward();
    EXPECT_TRUE(parts.is_complete());
    if (step == 0) {
      EXPECT_EQ(w.grad().to_vector<float>(), v.grad().to_vector<float>());
    }
    EXPECT_EQ(parts.count().item<double>(), 10);
    whole.step(one), parts.step(two);
    EXPECT_NEAR(whole.mean().item<double>(), parts.mean().item<double>(), 1e-4);
    EXPECT_NEAR(whole.mean().item<double>(), all.mean().item<double>(), 1e-5);
    if (step == 0) {
      EXPECT_EQ(w.to_vector<float>(), v.to_vector<float>());
    } else {
      EXPECT_TRUE(allclose(w.detach(), v.detach(), {.rtol = 1e-6, .atol = 1e-6}));
    }
  }
}

/// A model of tokens: three classes, the loss of -100 ignored.
TokenLoss language(const Tensor& w, const Tensor& targets) {
  RandomGenerator generator(5);
  return linear_token_loss(randn({targets.numel(), 4}, {}, &generator), w, {}, targets);
}

TEST(CountedAccumulation, AStepWithoutTargetsIsSkipped) {
  const Tensor w = randn({3, 4}).requires_grad(true), before = clone(w.detach());
  AdamW optimizer({w}, {.lr = 0.1, .weight_decay = 0.5});
  Accumulation accumulation(2);
  const Tensor ignored = full({6}, -100, {.dtype = int64});
  for (int part = 0; part < 2; ++part) {
    const TokenLoss loss = language(w, ignored);
    EXPECT_EQ(loss.sum.item<float>(), 0);
    EXPECT_EQ(loss.count.item<double>(), 0);
    EXPECT_EQ(loss.mean().item<float>(), 0);
    accumulation.part(loss).backward();
  }
  EXPECT_EQ(w.grad().to_vector<float>(), Numbers(12, 0));
  EXPECT_TRUE(accumulation.step(optimizer).skipped());
  EXPECT_EQ(accumulation.mean().item<double>(), 0);
  EXPECT_EQ(w.to_vector<float>(), before.to_vector<float>()) << "not even decayed";
  optimizer.zero_grad();
  // One target in the next step counts fully.
  const Tensor v = clone(before).requires_grad(true);
  AdamW fresh({v}, {.lr = 0.1, .weight_decay = 0.5});
  const Tensor single = tensor<std::int64_t>({-100, 2, -100});
  for (const Tensor& targets : {ignored, single}) accumulation.part(language(w, targets)).backward();
  language(v, single).mean().backward();
  EXPECT_FALSE(accumulation.step(optimizer).skipped());
  fresh.step();
  EXPECT_TRUE(allclose(w.detach(), v.detach(), {.rtol = 1e-6, .atol = 1e-6}));
}

TEST(CountedAccumulation, ClipsTheMeanAndChecksForNonFiniteGradients) {
  const Tensor w = tensor<float>({3, 4}).requires_grad(true);
  SGD optimizer({w}, {.lr = 1});
  optimizer.max_grad_norm(1);
  optimizer.on_non_finite(NonFinite::skip);
  Accumulation accumulation(2);
  for (const double factor : {10.0, 30.0}) accumulation.part(sum(w * Scalar(factor)), 20).backward();
  const StepResult result = accumulation.step(optimizer);  // gradients 40 / 40
  EXPECT_NEAR(result.grad_norm.item<double>(), std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(w.to_vector<float>()[0], 3 - std::sqrt(0.5), 1e-5);
  optimizer.zero_grad();
  for (int part = 0; part < 2; ++part) accumulation.part(sum(w * Scalar(NAN)), 2).backward();
  EXPECT_TRUE(accumulation.step(optimizer).skipped());
  optimizer.on_non_finite(NonFinite::raise);
  EXPECT_THROW(accumulation.step(optimizer), ValueError);
}

TEST(CountedAccumulation, StepsWithWhatIsThereWhenFlushed) {
  const Tensor w = tensor<float>({2}).requires_grad(true);
  SGD optimizer({w}, {.lr = 1});
  Accumulation accumulation(4);
  EXPECT_FALSE(accumulation.flush());
  EXPECT_THROW(accumulation.step(optimizer), ValueError) << "no part yet";
  accumulation.part(sum(w) * 3, 1).backward();
  accumulation.part(sum(w) * 9, 5).backward();
  EXPECT_THROW(accumulation.step(optimizer), ValueError) << "not complete";
  EXPECT_EQ(accumulation.count().item<double>(), 6);
  EXPECT_TRUE(accumulation.flush());
  accumulation.step(optimizer);
  EXPECT_EQ(w.item<float>(), 0);
  EXPECT_FALSE(accumulation.flush());
}

TEST(CountedAccumulation, ResumesInsideAStep) {
  const Tensor w = tensor<float>({3}).requires_grad(true), v = tensor<float>({3}).requires_grad(true);
  Accumulation one(3, {.batches = 5, .parameters = {w}}), two(3, {.batches = 5, .parameters = {v}});
  for (int i = 0; i < 4; ++i) {
    one.part(sum(w) * (i + 1), i + 1).backward();
    if (one.is_complete()) w.zero_grad();
  }
  two.load_state_dict(one.state_dict());
  two.part(sum(v) * 6, 6).backward();  // the last of two parts
  ASSERT_TRUE(two.is_complete());
  EXPECT_EQ(two.count().item<double>(), 10);
  EXPECT_EQ(two.mean().item<double>(), 3);
  EXPECT_EQ(v.grad().item<float>(), 10);
}

TEST(CountedAccumulation, RefusesWhatCannotBeAdded) {
  Accumulation accumulation(2);
  EXPECT_THROW(accumulation.part(TokenLoss{}), ValueError);
  EXPECT_THROW(accumulation.part(ones({2}), 2), ShapeError);
  EXPECT_THROW(accumulation.part(ones({}), -1), ValueError);
  EXPECT_THROW(accumulation.mean(), ValueError) << "no part yet";
  accumulation.part(ones({}), 1);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  EXPECT_THROW(accumulation.part(ones({})), ValueError) << "a part without a count";
#pragma GCC diagnostic pop
}

}  // namespace
}  // namespace minima::optim::accumulation_test
