#include "simulated/tests/library/products.h"

#include <minima/autograd/backward.h>
#include <minima/nn/nn.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/sgd.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/settings.h>
#include <minima/tensor/threads/parallel.h>
#include <minima/train/captured_step/captured_step.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

// The MLP and the CNN that benchmarks time, smaller, trained on each GPU eagerly and from a CUDA graph.

namespace minima::captured_rows_test {
namespace {

class CapturedRows : public LibraryOnSimulatedGpus {
 protected:
  void SetUp() override { deterministic(true); }
  void TearDown() override { deterministic(false); }
};

struct Mlp : nn::Module {
  nn::Linear a = child("a", nn::Linear({.in = 36, .out = 16}));
  nn::Linear b = child("b", nn::Linear({.in = 16, .out = 16}));
  nn::Linear c = child("c", nn::Linear({.in = 16, .out = 10}));
  Tensor forward(const Tensor& x) override { return c(relu(b(relu(a(flatten(x, 1)))))); }
};

struct Cnn : nn::Module {
  nn::Conv2d conv1 = child("conv1", nn::Conv2d({.in = 1, .out = 4, .kernel = 3, .padding = 1}));
  nn::BatchNorm2d norm = child("norm", nn::BatchNorm2d({.features = 4}));
  nn::Conv2d conv2 = child("conv2", nn::Conv2d({.in = 4, .out = 8, .kernel = 3, .padding = 1}));
  nn::Linear linear = child("linear", nn::Linear({.in = 8, .out = 10}));
  Tensor forward(const Tensor& x) override {
    Tensor h = max_pool2d(relu(norm(conv1(x))), {.kernel = 2});
    h = max_pool2d(relu(conv2(h)), {.kernel = 3});
    return linear(flatten(h, 1));
  }
};

struct Trained {
  std::vector<float> losses;
  std::vector<Tensor> weights;  ///< on the CPU
  train::CapturedStep::Counts counts;
  std::string reason;
};

constexpr int steps = 7;

template <class Net>
Trained trained(Device device, bool captured) {
  manual_seed(3);
  Net net;
  net.to(device);
  optim::SGD optimizer(net.parameters(), {.lr = 0.05, .momentum = 0.9});
  train::CapturedStep step(
      [&](const Tensor& x, const Tensor& labels) {
        optimizer.zero_grad();
        const Tensor loss = cross_entropy(net(x), labels);
        loss.backward();
        optimizer.step();
        return loss;
      },
      {.enabled = captured});
  step.watch(net);
  step.watch(optimizer);
  Trained result;
  RandomGenerator generator(8);
  for (int i = 0; i < steps; ++i) {
    const Tensor x = randn({6, 1, 6, 6}, {}, &generator), labels = randint(0, 10, {6}, {}, &generator);
    result.losses.push_back(step(x.to(device), labels.to(device)).item<float>());
  }
  for (const Tensor& weight : net.parameters()) result.weights.push_back(weight.detach().to(Device::cpu()));
  result.counts = step.counts();
  result.reason = step.reason();
  return result;
}

template <class Net>
void expect_replays_follow() {
  const Trained on_cpu = trained<Net>(Device::cpu(), false);
  for (const Device device : {first_gpu, second_gpu}) {
    const DeviceGuard guard(device);
    const Trained eager = trained<Net>(device, false), captured = trained<Net>(device, true);
    EXPECT_EQ(captured.reason, "");
    EXPECT_EQ(captured.counts.captured, 1);
    EXPECT_EQ(captured.counts.replayed, steps - captured.counts.eager);
    EXPECT_EQ(captured.losses, eager.losses);
    for (std::size_t i = 0; i < eager.weights.size(); ++i) {
      EXPECT_TRUE(identical(captured.weights[i], eager.weights[i])) << i;
      EXPECT_LE(distance(eager.weights[i], on_cpu.weights[i]), 1e-4) << i;
    }
  }
}

TEST_F(CapturedRows, ReplaysOfTheMlpAreItsEagerStepsAndFollowTheCpu) { expect_replays_follow<Mlp>(); }
TEST_F(CapturedRows, ReplaysOfTheCnnAreItsEagerStepsAndFollowTheCpu) { expect_replays_follow<Cnn>(); }

}  // namespace
}  // namespace minima::captured_rows_test
