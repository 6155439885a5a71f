#include "tests/simt/device/device.h"

#include <minima/amp/autocast.h>
#include <minima/amp/grad_scaler.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/elementwise/lion.h>
#include <minima/optim/elementwise/sgd.h>
#include <minima/optim/gradient/clip.h>
#include <minima/optim/structured/lamb.h>
#include <minima/train/metrics.h>

#include <gtest/gtest.h>

// A step that reads a value back synchronises with the device. All such reads go through one function, which counts.

namespace minima::test {
namespace {

struct Mlp {
  Tensor w1 = (randn({16, 24}) * 0.2).detach().requires_grad(true), b1 = zeros({16}).requires_grad(true);
  Tensor w2 = (randn({16, 16}) * 0.2).detach().requires_grad(true), b2 = zeros({16}).requires_grad(true);
  Tensor w3 = (randn({4, 16}) * 0.2).detach().requires_grad(true), b3 = zeros({4}).requires_grad(true);
  Tensor operator()(const Tensor& x) const { return linear(relu(linear(relu(linear(x, w1, b1)), w2, b2)), w3, b3); }
  std::vector<Tensor> parameters() const { return {w1, b1, w2, b2, w3, b3}; }
};

template <class Optimizer>
void expect_no_reads(Optimizer&& optimizer, const Mlp& net, const char* name) {
  const Tensor x = randn({8, 24}), y = randint(0, 4, {8});
  amp::GradScaler scaler({.growth_interval = 2});
  Mean loss_mean;
  optim::StepResult result;
  std::int64_t reads = 0;
  for (int step = 0; step < 4; ++step) {
    const std::int64_t before = host_reads();
    optimizer.set_lr(0.01 / (step + 1));
    optimizer.zero_grad();
    Tensor loss;
    {
      const amp::Autocast guard(DeviceType::cpu, {.dtype = float16});
      loss = cross_entropy(net(x), y);
    }
    scaler.scale(loss).backward();
    if (step % 2 == 0) {
      scaler.unscale(optimizer);
      optim::clip_grad_norm_(net.parameters(), 1);
    }
    result = scaler.step(optimizer);
    scaler.update();
    loss_mean.add(loss);
    reads += host_reads() - before;
  }
  EXPECT_EQ(reads, 0) << name;
  EXPECT_FALSE(result.skipped()) << name;
  EXPECT_EQ(scaler.get_scale(), 65536 * 4) << name;
  EXPECT_GT(host_reads(), 0) << "reading a value counts";
}

TEST(HostReads, AStepWithScalerAndClippingHasNone) {
  Mlp net;
  expect_no_reads(optim::SGD(net.parameters(), {.lr = 0.01, .momentum = 0.9}), net, "SGD");
  expect_no_reads(optim::AdamW(net.parameters(), {}), net, "AdamW");
  expect_no_reads(optim::Lion(net.parameters(), {}), net, "Lion");
  expect_no_reads(optim::Lamb(net.parameters(), {}), net, "LAMB");
}

TEST(HostReads, ASkippedStepHasNoneEither) {
  Mlp net;
  optim::AdamW optimizer(net.parameters(), {});
  optimizer.on_non_finite(optim::NonFinite::skip);
  for (const Tensor& p : net.parameters()) p.set_grad(full(p.shape(), INFINITY));
  const Tensor before = clone(net.w1.detach());
  const std::int64_t reads = host_reads();
  const optim::StepResult result = optimizer.step();
  EXPECT_EQ(host_reads(), reads);
  EXPECT_TRUE(result.skipped());
  EXPECT_EQ(net.w1.to_vector<float>(), before.to_vector<float>());
}

}  // namespace
}  // namespace minima::test
