#include "simulated/tests/library/library.h"

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

#include <cmath>

// A step that reads a value back waits for the GPU.

namespace minima::test::host_reads_test {
namespace {

class HostReads : public LibraryOnSimulatedGpus {};

/// Calls in which the host waits for a GPU.
std::int64_t host_reads() {
  std::int64_t count = 0;
  for (const char* const call :
       {"cudaStreamSynchronize", "cudaEventSynchronize", "cudaDeviceSynchronize", "cudaMemcpy", "cudaMemset"})
    count += simulated::calls(call);
  return count;
}

constexpr TensorOptions on_gpu{.device = Device::cuda()};

struct Mlp {
  Tensor w1 = (randn({16, 24}, on_gpu) * 0.2).detach().requires_grad(true),
         b1 = zeros({16}, on_gpu).requires_grad(true);
  Tensor w2 = (randn({16, 16}, on_gpu) * 0.2).detach().requires_grad(true),
         b2 = zeros({16}, on_gpu).requires_grad(true);
  Tensor w3 = (randn({4, 16}, on_gpu) * 0.2).detach().requires_grad(true), b3 = zeros({4}, on_gpu).requires_grad(true);
  Tensor operator()(const Tensor& x) const { return linear(relu(linear(relu(linear(x, w1, b1)), w2, b2)), w3, b3); }
  std::vector<Tensor> parameters() const { return {w1, b1, w2, b2, w3, b3}; }
};

template <class Optimizer>
void expect_no_reads(Optimizer&& optimizer, const Mlp& net, const char* name) {
  const Tensor x = randn({8, 24}, on_gpu), y = randint(0, 4, {8}, {.dtype = int64, .device = first_gpu});
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
      const amp::Autocast guard(DeviceType::cuda, {.dtype = float16});
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

TEST_F(HostReads, AStepWithScalerAndClippingHasNone) {
  Mlp net;
  expect_no_reads(optim::SGD(net.parameters(), {.lr = 0.01, .momentum = 0.9}), net, "SGD");
  expect_no_reads(optim::AdamW(net.parameters(), {}), net, "AdamW");
  expect_no_reads(optim::Lion(net.parameters(), {}), net, "Lion");
  expect_no_reads(optim::Lamb(net.parameters(), {}), net, "LAMB");
}

TEST_F(HostReads, ASkippedStepHasNoneEither) {
  Mlp net;
  optim::AdamW optimizer(net.parameters(), {});
  optimizer.on_non_finite(optim::NonFinite::skip);
  for (const Tensor& p : net.parameters()) p.set_grad(full(p.shape(), INFINITY, on_gpu));
  const Tensor before = clone(net.w1.detach());
  const std::int64_t reads = host_reads();
  const optim::StepResult result = optimizer.step();
  EXPECT_EQ(host_reads(), reads);
  EXPECT_TRUE(result.skipped());
  EXPECT_EQ(net.w1.to_vector<float>(), before.to_vector<float>());
}

}  // namespace
}  // namespace minima::test::host_reads_test
