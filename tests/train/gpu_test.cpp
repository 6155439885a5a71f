#include "tests/support/simulated_gpus.h"

#include <minima/amp/autocast.h>
#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/autograd/checkpoint/offload.h>
#include <minima/nn/nn.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/gradient/clip.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/settings.h>
#include <minima/tensor/threads/parallel.h>
#include <minima/train/captured_step/captured_step.h>
#include <minima/train/memory_budget/memory_budget.h>

#include <gtest/gtest.h>

// Checkpoints, offload, budgets and captured steps on a GPU. Skipped without one.

namespace minima::train::gpu_test {
namespace {

constexpr Device gpu = Device::cuda();

class GpuTraining : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cuda::device_count() == 0) GTEST_SKIP() << cuda::unavailable_reason();
    deterministic(true);
  }
  void TearDown() override { deterministic(false); }
};

// Many rows, so that activations take more memory than weights.
const std::int64_t width = test::simulates_gpus() ? 16 : 256, rows = test::simulates_gpus() ? 160 : 2048;

struct Block : nn::Module {
  nn::LayerNorm norm = child("norm", nn::LayerNorm({.shape = {width}}));
  nn::Linear up = child("up", nn::Linear({.in = width, .out = 4 * width}));
  nn::Linear down = child("down", nn::Linear({.in = 4 * width, .out = width}));
  Tensor forward(const Tensor& x) override { return x + dropout(down(gelu(up(norm(x)))), 0.1, is_training()); }
};

struct Trial {
  nn::Sequential net;
  CheckpointOptions options;
  bool checkpointed = false;
  optim::AdamW optimizer;

  Trial() : net(make()), optimizer(net.parameters(), {.lr = 1e-3}) {}
  static nn::Sequential make() {
    manual_seed(4);
    nn::Sequential net;
    for (int i = 0; i < 12; ++i) net.push_back(Block());
    net.to(gpu);
    return net;
  }
  Tensor step(const Tensor& x) {
    optimizer.zero_grad();
    Tensor loss;
    {
      const amp::Autocast guard(DeviceType::cuda);
      Tensor h = x;
      for (const nn::AnyModule& block : net) h = checkpointed ? checkpoint(options, block, h) : block(h);
      loss = mean(square(h.to(float32)));
    }
    loss.backward();
    optim::clip_grad_norm_(net.parameters(), 1.0);
    optimizer.step();
    return loss.detach();
  }
};

Tensor batch(int n) {
  RandomGenerator generator(static_cast<std::uint64_t>(50 + n));
  return randn({rows, width}, {}, &generator).to(gpu);
}

void expect_same_weights(const Trial& a, const Trial& b) {
  const std::vector<Tensor> p = a.net.parameters(), q = b.net.parameters();
  for (std::size_t i = 0; i < p.size(); ++i)
    EXPECT_TRUE(identical(p[i].detach().to(Device::cpu()), q[i].detach().to(Device::cpu()))) << i;
}

TEST_F(GpuTraining, CheckpointsAndOffloadedInputsAreBitwiseEqualAndSaveMemory) {
  std::int64_t peaks[3] = {};
  Trial plain, checkpointed, offloaded;
  checkpointed.checkpointed = offloaded.checkpointed = true;
  offloaded.options.offload_inputs = true;
  int i = 0;
  for (Trial* trial : {&plain, &checkpointed, &offloaded}) {
    manual_seed(8);
    for (int n = 0; n < 3; ++n) {
      synchronize(gpu);
      const std::int64_t before = memory_stats(gpu).allocated;
      reset_peak(gpu);
      trial->step(batch(n));
      peaks[i] = memory_stats(gpu).peak_allocated - before;
    }
    ++i;
  }
  expect_same_weights(plain, checkpointed);
  expect_same_weights(plain, offloaded);
  EXPECT_LT(peaks[1], peaks[0] / 3);
  EXPECT_LT(peaks[2], peaks[1]);
}

TEST_F(GpuTraining, StaysWithinAMemoryBudget) {
  Trial plain;
  for (int n = 0; n < 2; ++n) plain.step(batch(n));
  reset_peak(gpu);
  plain.step(batch(2));
  const std::int64_t before = memory_stats(gpu).allocated, all = memory_stats(gpu).peak_allocated;
  Trial tight;
  const std::int64_t bytes = memory_stats(gpu).allocated + (all - before) * 3 / 4 + (before / 2);
  const MemoryBudget budget(tight.net, bytes);
  for (int n = 0; n < 3; ++n) tight.step(batch(n));
  reset_peak(gpu);
  for (int n = 3; n < 6; ++n) tight.step(batch(n));
  EXPECT_LE(static_cast<double>(memory_stats(gpu).peak_allocated), 1.02 * static_cast<double>(bytes))
      << budget.report().text();
}

TEST_F(GpuTraining, ReplaysOfACapturedStepEqualEagerStepsBitwise) {
  const int steps = test::simulates_gpus() ? 12 : 50;
  for (const bool checkpointed : {false, true}) {
    Trial plain, model;
    model.checkpointed = plain.checkpointed = checkpointed;
    CapturedStep step([&](const Tensor& x) { return model.step(x); });
    step.watch(model.net);
    step.watch(model.optimizer);
    manual_seed(6);
    for (int n = 0; n < steps; ++n) plain.step(batch(n));
    manual_seed(6);
    for (int n = 0; n < steps; ++n) step(batch(n));
    EXPECT_EQ(step.counts().replayed, steps - 3) << step.reason();
    expect_same_weights(plain, model);
  }
}

TEST_F(GpuTraining, UncapturableStepsAreNamedAndRunEagerly) {
  CapturedStep step([](const Tensor& x) { return x * sum(x).item<float>(); }, {.warmup = 1});
  const Tensor x = batch(0);
  for (int n = 0; n < 3; ++n) step(x);
  EXPECT_NE(step.reason().find("item() inside a captured step at gpu_test.cpp:"), std::string::npos) << step.reason();
  EXPECT_NO_THROW(synchronize(gpu));
}

}  // namespace
}  // namespace minima::train::gpu_test
