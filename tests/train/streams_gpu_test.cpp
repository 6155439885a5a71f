#include "tests/support/simulated_gpus.h"

#include <minima/autograd/backward.h>
#include <minima/nn/nn.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/transfer.h>

#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <optional>
#include <random>
#include <vector>

// Several streams at once: work in one neither affects the others nor reuses their memory too early.

namespace minima::streams_gpu_test {
namespace {

class GpuStreams : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cuda::device_count() == 0) GTEST_SKIP() << cuda::unavailable_reason();
  }
  const Device gpu = Device::cuda();
};

/// A small network with optimizer and data, all from one seed.
struct Training {
  Training(int seed, Device device) {
    manual_seed(static_cast<std::uint64_t>(seed));
    net = nn::Sequential(nn::Linear({.in = 64, .out = 256}), nn::ReLU(), nn::Linear({.in = 256, .out = 10}));
    x = randn({128, 64}).to(device);
    y = randint(0, 10, {128}).to(device);
    net.to(device);
    optimizer.emplace(net.parameters(), optim::AdamOptions{.lr = 1e-3});
  }
  void step() {
    optimizer->zero_grad();
    cross_entropy(net(x), y).backward();
    optimizer->step();
  }
  std::vector<float> weights() const { return net.parameters().front().to_vector<float>(); }

  nn::Sequential net;
  std::optional<optim::Adam> optimizer;
  Tensor x, y;
};

TEST_F(GpuStreams, IndependentModelsInSeveralStreamsEqualTheSerialOnes) {
  constexpr int models = 4, steps = 50;
  std::vector<std::vector<float>> serial;
  for (int i = 0; i < models; ++i) {
    Training training(i, gpu);
    for (int step = 0; step < steps; ++step) training.step();
    serial.push_back(training.weights());
  }
  std::deque<Training> trainings;
  std::vector<Stream> streams;
  for (int i = 0; i < models; ++i) {
    streams.push_back(Stream::create(gpu));
    trainings.emplace_back(i, gpu);
  }
  synchronize(gpu);
  for (int step = 0; step < steps; ++step)
    for (std::size_t i = 0; i < models; ++i) {
      const StreamGuard guard(streams[i]);
      trainings[i].step();
    }
  synchronize(gpu);
  for (std::size_t i = 0; i < models; ++i) EXPECT_EQ(trainings[i].weights(), serial[i]) << "model " << i;
}

/// Passes tensors from stream to stream and frees them at once; every new tensor is poisoned first. A read after the
/// memory was reused would return NaN or another tensor's value.
TEST_F(GpuStreams, MemoryThatOtherStreamsReadIsNotReusedTooEarly) {
  constexpr int rounds = 2000;
  const unsigned largest = test::simulates_gpus() ? 1 << 13 : 1 << 18;
  std::mt19937 random(5);
  std::vector<Stream> streams;
  for (int i = 0; i < 6; ++i) streams.push_back(Stream::create(gpu));
  std::vector<Tensor> sums;
  std::vector<double> expected;
  for (int round = 0; round < rounds; ++round) {
    const Stream owner = streams[random() % 6], reader = streams[random() % 6];
    const std::int64_t count = 1 + static_cast<std::int64_t>(random() % largest);
    const double value = round % 97;
    const StreamGuard guard(owner);
    const Tensor x = empty({count}, {.device = gpu});
    fill_(x, std::numeric_limits<double>::quiet_NaN());
    fill_(x, value);
    Event made;
    made.record(owner);
    reader.wait(made);
    const StreamGuard side(reader);
    sums.push_back(mean(x * 1.0));
    expected.push_back(value);
    if (!(owner == reader)) hand_over(x, reader);
  }
  synchronize(gpu);
  for (int round = 0; round < rounds; ++round)
    ASSERT_NEAR(sums[static_cast<std::size_t>(round)].item<float>(), expected[static_cast<std::size_t>(round)], 1e-3)
        << "round " << round;
}

}  // namespace
}  // namespace minima::streams_gpu_test
