#include "tests/train/statistics/expect_summary.h"

#include <minima/nn/nn.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/train/captured_step/captured_step.h>
#include <minima/train/statistics/network_statistics.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <vector>

// Statistics on a GPU, also of captured steps. Skipped without one.

namespace minima::train::gpu_statistics_test {
namespace {

class GpuStatistics : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cuda::device_count() == 0) GTEST_SKIP() << cuda::unavailable_reason();
  }
};

constexpr double tolerance = 1e-4;  // of sums in another order

TEST_F(GpuStatistics, SummariesAreThoseOfTheCpu) {
  manual_seed(5);
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor x = cat({relu(randn({70, 9})), full({2, 9}, infinity), full({1, 9}, -1e30)});
  for (const Tensor& each : {x, transpose(x, 0, 1), x.to(bfloat16), zeros({0}), zeros({3})})
    expect_summary(detail::summary_of(detail::sums_of(each.to(Device::cuda())).to_vector<double>()),
                   detail::summary_of(detail::sums_of(each).to_vector<double>()), tolerance);
}

/// Trains for 12 steps, of which every fourth is measured if `every` is 4.
struct Training {
  Training(Device device, bool captures, std::int64_t every) {
    manual_seed(6);
    net = nn::Sequential(nn::Linear({.in = 4, .out = 8}), nn::ReLU(), nn::Linear({.in = 8, .out = 2}));
    const Tensor inputs = randn({12, 5, 4});
    net.to(device);
    optim::AdamW optimizer(net.parameters(), {.lr = 1e-2});
    NetworkStatistics statistics(net, {.every = every});
    CapturedStep step(
        [&](const Tensor& x) {
          optimizer.zero_grad();
          const Tensor loss = mean(square(net(x)));
          loss.backward();
          statistics.before_update();
          optimizer.step();
          return loss;
        },
        {.enabled = captures});
    step.watch(net);
    step.watch(optimizer);
    for (std::int64_t n = 0; n < 12; ++n) {
      statistics.begin_step(n);
      const std::vector<Tensor> batch{select(inputs, 0, n).to(device)};
      if (statistics.is_measuring()) step.call_eagerly(batch);
      else step.call(batch);
      statistics.end_step();
    }
    history = statistics.history();
    counts = step.counts();
  }

  nn::Sequential net;
  std::vector<StepStatistics> history;
  CapturedStep::Counts counts;
};

TEST_F(GpuStatistics, CapturedTrainingIsMeasuredAndGoesItsWay) {
  const Training cpu(Device::cpu(), false, 4), plain(Device::cuda(), false, 100), measured(Device::cuda(), true, 4);
  EXPECT_EQ(measured.counts.captured, 1);
  EXPECT_EQ(measured.counts.eager, 3 + 3) << "measured, and to warm up";
  EXPECT_EQ(measured.counts.replayed, 6);
  ASSERT_EQ(measured.history.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const StepStatistics &a = measured.history[i], &b = cpu.history[i];
    ASSERT_EQ(a.modules.size(), 4u);
    for (std::size_t m = 0; m < 4; ++m) {
      expect_summary(a.modules[m].activations, b.modules[m].activations, tolerance);
      expect_summary(a.modules[m].gradients, b.modules[m].gradients, tolerance);
    }
    for (std::size_t p = 0; p < 4; ++p) {
      expect_summary(a.parameters[p].gradient, b.parameters[p].gradient, tolerance);
      EXPECT_NEAR(a.parameters[p].update.rms, b.parameters[p].update.rms, 1e-3 * b.parameters[p].update.rms);
    }
  }
  const std::vector<Tensor> with = measured.net.parameters(), without = plain.net.parameters();
  for (std::size_t p = 0; p < with.size(); ++p) {
    const Closeness close = allclose(with[p].detach(), without[p].detach(), {.rtol = 1e-5, .atol = 1e-6});
    EXPECT_TRUE(close) << close.message;
  }
}

}  // namespace
}  // namespace minima::train::gpu_statistics_test
