#include "tests/support/gpu_test.h"

#include <minima/nn/nn.h>
#include <minima/ops/ops.h>
#include <minima/optim/averaging/averaging.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/elementwise/sgd.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/random/generator.h>
#include <minima/train/captured_step/captured_step.h>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

// Gradients that outlive a captured step, and what else a program does around it, follow the eager program's bits.

namespace minima::gpu_captured_gradients_test {
namespace {

using train::CapturedStep;

constexpr Device gpu = Device::cuda();

class GpuCapturedGradients : public test::GpuTest {};

struct Training {
  nn::Sequential net =
      (manual_seed(7), nn::Sequential(nn::Linear({.in = 3, .out = 6}), nn::Tanh(), nn::Linear({.in = 6, .out = 3})));
  optim::AdamW optimizer;

  Training() : optimizer((net.to(gpu), net.parameters()), {.lr = 0.05}) {}
  /// Adds the gradients of a batch.
  Tensor differentiate(const Tensor& x) {
    Tensor loss = mean(square(net(x)));
    loss.backward();
    return loss.detach();
  }
  void watch(CapturedStep& step) {
    step.watch(net);
    step.watch(optimizer);
  }
};

Tensor batch(int n, std::int64_t rows = 4) {
  RandomGenerator generator(static_cast<std::uint64_t>(50 + n));
  return randn({rows, 3}, {.device = gpu}, &generator);
}

/// Runs `program` eagerly and captured, and compares what it returns. Returns how many calls were replays.
std::int64_t compare(const Function<std::vector<Tensor>(bool captured, std::int64_t& replayed)>& program) {
  std::int64_t replayed = 0;
  const std::vector<Tensor> expected = program(false, replayed), found = program(true, replayed);
  EXPECT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(identical(found[i].detach(), expected[i].detach())) << "result " << i;
  return replayed;
}

TEST_F(GpuCapturedGradients, MayBeClearedAndUsedOutsideOfTheStep) {
  EXPECT_EQ(compare([](bool captured, std::int64_t& replayed) {
              Training t;
              CapturedStep step([&](const Tensor& x) { return t.differentiate(x); }, {.enabled = captured});
              t.watch(step);
              for (int i = 0; i < 9; ++i) {
                t.optimizer.zero_grad();
                step(batch(i));
                t.optimizer.step();
              }
              replayed = step.counts().replayed;
              return t.net.parameters();
            }),
            6);
}

TEST_F(GpuCapturedGradients, AddUpOverCalls) {
  EXPECT_GT(compare([](bool captured, std::int64_t& replayed) {
              Training t;
              CapturedStep step([&](const Tensor& x) { return t.differentiate(x); }, {.enabled = captured});
              t.watch(step);
              for (int i = 0; i < 15; ++i) {
                step(batch(i));
                if (i % 3 < 2) continue;
                t.optimizer.step();
                t.optimizer.zero_grad();
              }
              replayed = step.counts().replayed;
              return t.net.parameters();
            }),
            3);
}

TEST_F(GpuCapturedGradients, GoFromOneCapturedStepToAnother) {
  EXPECT_GT(compare([](bool captured, std::int64_t& replayed) {
              Training t;
              CapturedStep part([&](const Tensor& x) { return t.differentiate(x); }, {.enabled = captured});
              CapturedStep update(
                  [&](const Tensor& x) {
                    t.optimizer.step();
                    t.optimizer.zero_grad();
                    return x * 2;
                  },
                  {.enabled = captured});
              t.watch(part);
              t.watch(update);
              for (int i = 0; i < 24; ++i) {
                part(batch(i));
                if (i % 3 == 2) update(batch(i));
              }
              replayed = part.counts().replayed;
              return t.net.parameters();
            }),
            3);
}

TEST_F(GpuCapturedGradients, AreThoseOfTheLastReplayWhateverItsShape) {
  EXPECT_EQ(compare([](bool captured, std::int64_t& replayed) {
              Training t;
              CapturedStep step(
                  [&](const Tensor& x) {
                    t.optimizer.zero_grad();
                    const Tensor loss = t.differentiate(x);
                    t.optimizer.step();
                    return loss;
                  },
                  {.enabled = captured});
              t.watch(step);
              std::vector<Tensor> gradients;
              for (int i = 0; i < 12; ++i) {
                step(batch(i, 4 + i % 2));
                for (const Tensor& parameter : t.net.parameters()) gradients.push_back(clone(parameter.grad()));
              }
              replayed = step.counts().replayed;
              return gradients;
            }),
            8);
}

// As in the usual loop of a GAN: the generator's backward pass adds to gradients of the discriminator, which clears
// them.
TEST_F(GpuCapturedGradients, OfAnotherNetworkAreAddedToInPlace) {
  EXPECT_EQ(compare([](bool captured, std::int64_t& replayed) {
              Training generator, discriminator;
              CapturedStep judge(
                  [&](const Tensor& x) {
                    discriminator.optimizer.zero_grad();
                    const Tensor loss =
                        discriminator.differentiate(x) + discriminator.differentiate(generator.net(x).detach());
                    discriminator.optimizer.step();
                    return loss;
                  },
                  {.enabled = captured});
              CapturedStep generate(
                  [&](const Tensor& x) {
                    generator.optimizer.zero_grad();
                    const Tensor loss = discriminator.differentiate(generator.net(x));
                    generator.optimizer.step();
                    return loss;
                  },
                  {.enabled = captured});
              for (CapturedStep* step : {&judge, &generate}) {
                generator.watch(*step);
                discriminator.watch(*step);
              }
              std::vector<Tensor> results;
              for (int i = 0; i < 9; ++i) {
                results.push_back(judge(batch(i)));
                results.push_back(generate(batch(20 + i)));
                for (const Tensor& parameter : discriminator.net.parameters())
                  results.push_back(clone(parameter.grad()));
              }
              replayed = judge.counts().replayed + generate.counts().replayed;
              return results;
            }),
            12);
}

TEST_F(GpuCapturedGradients, AveragesThatWeighUpdatesDifferentlyAreNotCaptured) {
  for (const bool warmup : {false, true})
    for (const bool is_ema : {false, true}) {
      std::string reason;
      const std::int64_t replays = compare([&](bool captured, std::int64_t& replayed) {
        Training t;
        optim::Ema ema(t.net.parameters(), {.decay = 0.9, .warmup = warmup});
        optim::Swa swa(t.net.parameters());
        CapturedStep step(
            [&](const Tensor& x) {
              t.optimizer.zero_grad();
              const Tensor loss = t.differentiate(x);
              t.optimizer.step();
              if (is_ema) ema.update();
              else swa.update();
              return loss;
            },
            {.enabled = captured});
        t.watch(step);
        for (int i = 0; i < 8; ++i) step(batch(i));
        replayed = step.counts().replayed;
        reason = step.reason();
        return is_ema ? ema.averages() : swa.averages();
      });
      if (is_ema && !warmup) {
        EXPECT_EQ(replays, 5);
        continue;
      }
      EXPECT_EQ(replays, 0);
      EXPECT_NE(reason.find("update() after the step"), std::string::npos) << reason;
    }
}

TEST_F(GpuCapturedGradients, AStepInAStepIsPartOfIt) {
  CapturedStep inner([](const Tensor& x) { return x * 2; });
  CapturedStep outer([&](const Tensor& x) { return inner(x + 1) + 3; });
  for (int i = 0; i < 8; ++i) {
    const Tensor x = full({1000}, i, {.device = gpu});
    EXPECT_TRUE(identical(outer(x), full({1000}, 2 * i + 5, {.device = gpu}))) << i;
  }
  EXPECT_EQ(outer.counts().replayed, 5) << outer.reason();
  EXPECT_EQ(inner.counts().replayed, 0);
  EXPECT_EQ(inner.reason(), "another captured step has called it, and contains it");
  EXPECT_TRUE(identical(inner(full({1}, 1, {.device = gpu})), full({1}, 2, {.device = gpu}))) << "by itself again";
}

}  // namespace
}  // namespace minima::gpu_captured_gradients_test
