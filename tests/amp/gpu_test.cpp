#include "tests/optim/optimizers.h"
#include "tests/support/gpu_test.h"
#include "tests/support/simulated_gpus.h"

#include <minima/amp/autocast.h>
#include <minima/amp/grad_scaler.h>
#include <minima/ops/ops.h>
#include <minima/optim/averaging/averaging.h>
#include <minima/optim/gradient/clip.h>
#include <minima/optim/structured/muon.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/device/stream.h>

#include <gtest/gtest.h>

#include <cmath>

// Optimizers and the scaler on a real GPU, compared with the CPU. Skipped without one.

namespace minima::amp::gpu_test {
namespace {

constexpr Device gpu = Device::cuda();

class GpuOptimizer : public test::GpuTest {};
using GpuScaler = GpuOptimizer;

Tensor on(Device device, const Tensor& x) {
  Tensor y = clone(x.detach()).to(device).detach();
  return y.requires_grad(true);
}

/// Twenty steps with the same gradients on both devices. The eighth has an infinite gradient and is skipped.
template <class Optimizer, class Options>
void expect_alike(const char* name, const Options& options, DType dtype = float32) {
  const std::vector<Tensor> start{randn({33, 65}).to(dtype), randn({700, 30}).to(dtype)};
  std::vector<Tensor> here, there;
  for (const Tensor& x : start) here.push_back(on(Device::cpu(), x)), there.push_back(on(gpu, x));
  Optimizer one(here, options), two(there, options);
  for (int step = 0; step < 20; ++step) {
    for (std::size_t i = 0; i < here.size(); ++i) {
      const Tensor gradient = (randn(start[i].shape()) * 16).to(dtype);
      here[i].set_grad(gradient);
      there[i].set_grad(gradient.to(gpu));
    }
    const auto scaled = [&](Device device) {
      return optim::ScaledStep{.found_inf = full({}, step == 7, {.device = device}),
                               .inverse_scale = full({}, 1. / 16, {.dtype = float64, .device = device})};
    };
    one.step(scaled(Device::cpu()));
    const optim::StepResult result = two.step(scaled(gpu));
    ASSERT_EQ(result.skipped(), step == 7) << name;
  }
  const Tolerance tolerance = dtype == float32 ? Tolerance{1e-4, 1e-5} : Tolerance{2e-2, 1e-2};
  for (std::size_t i = 0; i < here.size(); ++i) {
    const Closeness close = allclose(there[i].detach().to(Device::cpu()), here[i].detach(), tolerance);
    EXPECT_TRUE(close) << name << " parameter " << i << ": " << close.message;
  }
}

TEST_F(GpuOptimizer, StepsMatchTheCpu) {
  test::each_optimizer([]<class Optimizer, class Options>(const char* name, const Options& options) {
    expect_alike<Optimizer>(name, options);
  });
  expect_alike<optim::SGD>("Nesterov", optim::SGDOptions{.lr = 0.1, .momentum = 0.9, .nesterov = true});
  expect_alike<optim::Muon>("Muon", optim::MuonOptions{.products = float32});
}

TEST_F(GpuOptimizer, StepsOfHalfParametersMatchTheCpu) {
  expect_alike<optim::AdamW>("AdamW bfloat16", optim::AdamWOptions{.lr = 0.01}, bfloat16);
  expect_alike<optim::SGD>("SGD float16", optim::SGDOptions{.lr = 0.01, .momentum = 0.9}, float16);
}

TEST_F(GpuOptimizer, ClippingAndAveragesMatchTheCpu) {
  const Tensor start = randn({300, 70}), gradient = randn({300, 70});
  Tensor here = on(Device::cpu(), start), there = on(gpu, start);
  here.set_grad(clone(gradient));
  there.set_grad(gradient.to(gpu));
  EXPECT_NEAR(optim::clip_grad_norm_({here}, 1).item<double>(), optim::clip_grad_norm_({there}, 1).item<double>(),
              1e-6);
  EXPECT_TRUE(allclose(there.grad().to(Device::cpu()), here.grad(), {1e-5, 1e-7}));
  optim::Ema one({here}, {.decay = 0.5}), two({there}, {.decay = 0.5});
  {
    const NoGrad guard;
    mul_(here, 3);
    mul_(there, 3);
  }
  one.update();
  two.update();
  EXPECT_TRUE(allclose(two.averages()[0].to(Device::cpu()), one.averages()[0], {1e-6, 1e-6}));
}

/// The MLP 784-512-512-10 with batches of 64.
struct Mlp {
  static Tensor matrix(std::int64_t out, std::int64_t in) {
    return on(gpu, randn({out, in}) * std::sqrt(2.0 / static_cast<double>(in)));
  }
  Tensor w1 = matrix(512, 784), w2 = matrix(512, 512), w3 = matrix(10, 512);
  Tensor b1 = on(gpu, zeros({512})), b2 = on(gpu, zeros({512})), b3 = on(gpu, zeros({10}));
  Tensor operator()(const Tensor& x) const { return linear(relu(linear(relu(linear(x, w1, b1)), w2, b2)), w3, b3); }
  std::vector<Tensor> parameters() const { return {w1, b1, w2, b2, w3, b3}; }
};

TEST_F(GpuScaler, AStepWithClippingDoesNotSynchronise) {
  const Mlp net;
  optim::AdamW optimizer(net.parameters(), {.lr = 1e-3});
  GradScaler scaler({.growth_interval = 3});
  const Tensor x = randn({64, 784}, {.device = gpu}), y = randint(0, 10, {64}).to(gpu);
  const auto step = [&] {
    optimizer.zero_grad();
    Tensor loss;
    {
      const Autocast guard(DeviceType::cuda, {.dtype = float16});
      loss = cross_entropy(net(x), y);
    }
    scaler.scale(loss).backward();
    scaler.unscale(optimizer);
    optim::clip_grad_norm_(net.parameters(), 1);
    scaler.step(optimizer);
    scaler.update();
    return loss;
  };
  const double first = step().item<double>();  // fills caches, opens libraries
  for (int i = 0; i < 10; ++i) step();
  synchronize(gpu);
  // A few hundred milliseconds of work, which a synchronising step would wait for.
  const std::int64_t side = test::simulates_gpus() ? 64 : 8192;
  const Tensor big = randn({side, side}, {.device = gpu});
  for (int i = 0; i < 20; ++i) matmul(big, big);
  Event before;
  before.record(current_stream(gpu));
  const Tensor loss = step();
  if (!test::simulates_gpus()) {  // there, simulated/tests/library/host_reads_test.cpp counts what waits
    EXPECT_FALSE(before.is_done()) << "the step waited for what was queued before it";
  }
  EXPECT_LT(loss.item<double>(), first);
  EXPECT_GT(scaler.get_scale(), 65536);
}

TEST_F(GpuScaler, SkipsOnTheDeviceAndShrinks) {
  Tensor x = on(gpu, ones({5}));
  optim::AdamW optimizer({x}, {.lr = 0.1});
  GradScaler scaler;
  scaler.scale(sum(x) * INFINITY).backward();
  EXPECT_TRUE(scaler.step(optimizer).skipped());
  scaler.update();
  EXPECT_EQ(scaler.get_scale(), 32768);
  EXPECT_EQ(x.to_vector<float>(), std::vector<float>(5, 1));
  optimizer.zero_grad();
  scaler.scale(sum(x)).backward();
  EXPECT_FALSE(scaler.step(optimizer).skipped());
  EXPECT_EQ(optimizer.state_dict().integer("state.0.step"), 1);
}

}  // namespace
}  // namespace minima::amp::gpu_test
