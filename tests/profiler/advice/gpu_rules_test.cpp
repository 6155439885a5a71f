#include "planted.h"

#include <minima/profiler/advice/advice.h>
#include <minima/profiler/advice/workbench.h>

#include <minima/minima.h>
#include <minima/tensor/pinned.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

// Rules about GPUs, with steps that say how long they take: for each a step that it makes faster, and one that it
// doesn't apply to.

namespace minima::profiler::gpu_rules_test {
namespace {

using Batch = std::vector<Tensor>;

class GpuAdvice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cuda::device_count() == 0) GTEST_SKIP() << cuda::unavailable_reason();
    network_.to(device_);
  }
  template <class Step>
  Advice advice_for(const Step& step, const Batch& batch) {
    AdviceOptions options = test::options_of(clock_.stopwatch());
    options.only = {"captured step", "pinned memory", "placement"};
    return advise(network_, step, batch, options);
  }
  const Device device_ = Device::cuda();
  test::PlantedClock clock_;
  nn::Linear network_{nn::LinearOptions{.in = 8, .out = 8}};
};

TEST_F(GpuAdvice, CapturesTheStep) {
  // Host code of a captured step runs no more, so replays take the clock's 1 ms.
  int eager = 0;
  const Advice advice = advice_for(
      [&](const Batch& batch) {
        network_.zero_grad();
        sum(network_(batch[0])).backward();
        clock_.take(4);
        ++eager;
      },
      {ones({4, 8}, {.device = device_})});
  EXPECT_LT(eager, 60) << "the graph is replayed in all turns";
  const Trial* const trial = advice.find("captured step");
  ASSERT_TRUE(trial) << advice.text();
  EXPECT_TRUE(trial->is_advised) << advice.text();
  EXPECT_DOUBLE_EQ(trial->gain(), 4) << advice.text();
}

TEST_F(GpuAdvice, WithoutAStopwatchPromisesByTheGpusTime) {
  const Batch batch{ones({4, 8}, {.device = device_})};
  const Function<void(const Batch&)> step = [&](const Batch& given) { sum(network_(given[0])).backward(); };
  Workbench bench(network_, step, batch, {});
  EXPECT_NE(bench.report().gpu, GpuSource::none);
  const double products = bench.share(is_product);
  EXPECT_GT(products, 0);
  EXPECT_LT(products, 1) << "the sum is none";
}

TEST_F(GpuAdvice, SaysWhyAStepCannotBeCaptured) {
  const Advice advice = advice_for(
      [&](const Batch& batch) {
        network_.zero_grad();
        const Tensor loss = sum(network_(batch[0]));
        loss.backward();
        static_cast<void>(loss.item<float>());
      },
      {ones({4, 8}, {.device = device_})});
  const Trial* const trial = advice.find("captured step");
  ASSERT_TRUE(trial);
  EXPECT_FALSE(trial->is_advised);
  EXPECT_NE(trial->note.find("item()"), std::string::npos) << trial->note;
}

TEST_F(GpuAdvice, PinsBatches) {
  const auto step = [&](const Batch& batch) {
    sum(network_(batch[0].to(device_))).backward();
    clock_.take(batch[0].device().is_cpu() && !is_pinned(batch[0]) ? 6 : 3);
  };
  const Advice advice = advice_for(step, {ones({4, 8})});
  const Trial* const trial = advice.find("pinned memory");
  ASSERT_TRUE(trial) << advice.text();
  EXPECT_TRUE(trial->is_advised) << advice.text();
  EXPECT_DOUBLE_EQ(trial->gain(), 2) << advice.text();
  EXPECT_FALSE(advice_for(step, {ones({4, 8}, {.device = device_})}).find("pinned memory")) << "there already";
}

TEST_F(GpuAdvice, TriesTheOtherDevice) {
  const auto step = [&](const Batch& batch) {
    sum(network_(batch[0])).backward();
    clock_.take(batch[0].device().is_cpu() ? 2 : 6);
  };
  const Tensor before = clone(network_.weight.detach());
  const Advice slow = advice_for(step, {ones({4, 8}, {.device = device_})});
  ASSERT_TRUE(slow.find("placement")) << slow.text();
  EXPECT_TRUE(slow.find("placement")->is_advised) << slow.text();
  EXPECT_EQ(slow.find("placement")->change, "network.to(Device::cpu());");
  EXPECT_DOUBLE_EQ(slow.find("placement")->gain(), 3);
  EXPECT_TRUE(network_.weight.device().is_cuda()) << "restored";
  EXPECT_TRUE(allclose(network_.weight.detach(), before, {.rtol = 0, .atol = 0}));
  network_.to(Device::cpu());
  const Advice fast = advice_for(step, {ones({4, 8})});
  EXPECT_FALSE(fast.find("placement")->is_advised) << fast.text();
  EXPECT_FALSE(fast.find("captured step")) << "not on the CPU";
}

}  // namespace
}  // namespace minima::profiler::gpu_rules_test
