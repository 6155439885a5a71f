#include "tests/support/simulated_gpus.h"

#include <minima/ops/ops.h>
#include <minima/tensor/auto_device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/device/observer.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::auto_device_test {
namespace {

constexpr DeviceSpeed cpu{.flops = 3e11, .bytes = 2e10, .launch_seconds = 1e-6};
constexpr DeviceSpeed gpu{
    .flops = 3e13, .bytes = 2e12, .transfer_bytes = 2e10, .launch_seconds = 1e-5, .transfer_seconds = 1e-5};
constexpr std::int64_t room = std::int64_t{1} << 40;

/// The float32 product of square matrices; factors and result are on the CPU.
Workload product(double n) {
  const double bytes = 12 * n * n;
  return {.flops = 2 * n * n * n, .bytes = bytes, .transferred = bytes, .memory = static_cast<std::int64_t>(bytes)};
}

TEST(AutoDevice, TheRooflineIsTheSlowerOfArithmeticAndMemory) {
  EXPECT_DOUBLE_EQ(estimated_seconds({.flops = 3e11, .bytes = 2e9}, cpu, false), 1e-6 + 1.0);
  EXPECT_DOUBLE_EQ(estimated_seconds({.flops = 3e9, .bytes = 2e10}, cpu, false), 1e-6 + 1.0);
  EXPECT_DOUBLE_EQ(estimated_seconds({.bytes = 2e12, .transferred = 4e10}, gpu, true), 1e-5 + 1.0 + 2e-5 + 2.0);
  EXPECT_DOUBLE_EQ(estimated_seconds({.bytes = 2e12, .transferred = 4e10}, gpu, false), 1e-5 + 1.0);
}

TEST(AutoDevice, EveryOperatorIsLaunched) {
  EXPECT_DOUBLE_EQ(estimated_seconds({.bytes = 2e12, .launches = 1000}, gpu, false), 1e-2 + 1.0);
  EXPECT_FALSE(prefers_gpu({.flops = 1e9, .launches = 1000}, cpu, gpu, room)) << "a thousand launches cost 10 ms";
  EXPECT_TRUE(prefers_gpu({.flops = 1e9}, cpu, gpu, room));
}

/// Counts operator calls.
struct Calls final : Observer {
  void begin(const char*, Cost) override { ++count; }
  void end() noexcept override {}
  int count = 0;
};

TEST(AutoDevice, ObservedWorkAddsUpWhatOperatorsReport) {
  const Tensor a = ones({8, 16}), b = ones({16, 4});
  Calls calls;
  Observer* const before = set_observer(&calls);
  const Workload work = observed_workload([&] { relu(matmul(a, b)); });
  EXPECT_EQ(set_observer(before), &calls) << "the observer that was there is restored";
  EXPECT_EQ(calls.count, 2) << "and hears the calls";
  EXPECT_DOUBLE_EQ(work.launches, 2);
  EXPECT_DOUBLE_EQ(work.flops, 2 * 8 * 16 * 4 + 8 * 4);
  EXPECT_DOUBLE_EQ(work.bytes, 4.0 * (8 * 16 + 16 * 4 + 8 * 4) + 4.0 * 2 * 8 * 4);
  EXPECT_DOUBLE_EQ(work.transferred, 0);
  EXPECT_EQ(work.memory, 0);
  EXPECT_THROW(observed_workload([] { throw ValueError("no"); }), ValueError);
  EXPECT_EQ(observer(), before);
}

TEST(AutoDevice, PicksTheEarlierAtTwentySizesWithOneCrossing) {
  int changes = 0;
  bool before = false;
  for (int step = 0; step < 20; ++step) {
    const Workload work = product(std::exp2(4 + 0.5 * step));
    const bool picked = prefers_gpu(work, cpu, gpu, room);
    EXPECT_EQ(picked, estimated_seconds(work, gpu, true) < estimated_seconds(work, cpu, false)) << "size " << step;
    changes += picked != before;
    before = picked;
  }
  EXPECT_EQ(changes, 1) << "small products belong on the CPU, large ones on the GPU";
  EXPECT_TRUE(before);
}

TEST(AutoDevice, TransfersDecide) {
  Workload sum{.flops = 1e8, .bytes = 4e8, .transferred = 4e8, .memory = 400'000'000};
  EXPECT_FALSE(prefers_gpu(sum, cpu, gpu, room)) << "transferring the values takes as long as adding them here";
  sum.transferred = 0;
  EXPECT_TRUE(prefers_gpu(sum, cpu, gpu, room));
}

TEST(AutoDevice, NeverPicksAGpuWithoutRoom) {
  const Workload work = product(4096);
  EXPECT_TRUE(prefers_gpu(work, cpu, gpu, work.memory));
  EXPECT_FALSE(prefers_gpu(work, cpu, gpu, work.memory - 1));
}

TEST(AutoDevice, IsTheCpuWhereThereIsNoGpu) {
  if (cuda::device_count() > 0) GTEST_SKIP() << "shows what happens without a GPU, and this machine has one";
  EXPECT_EQ(auto_device(1e15, 1e6), Device::cpu());
}

TEST(AutoDevice, MeasuresTheCpuOnceAndPlausibly) {
  const DeviceSpeed& speed = measured_speed(Device::cpu());
  EXPECT_EQ(&speed, &measured_speed(Device::cpu()));
  EXPECT_GT(speed.flops, 1e8);
  EXPECT_LT(speed.flops, 1e14);
  EXPECT_GT(speed.bytes, 1e8);
  EXPECT_LT(speed.bytes, 1e13);
}

TEST(GpuAutoDevice, IsTheEarlierByTheMeasuredSpeedsAtTwentySizes) {
  if (cuda::device_count() == 0) GTEST_SKIP() << cuda::unavailable_reason();
  const DeviceSpeed &here = measured_speed(Device::cpu()), &there = measured_speed(Device::cuda());
  for (int step = 0; step < 20; ++step) {
    Workload work = product(std::exp2(4 + 0.5 * step));
    const bool is_earlier = estimated_seconds(work, there, true) < estimated_seconds(work, here, false);
    EXPECT_EQ(auto_device(work), is_earlier ? Device::cuda() : Device::cpu()) << "size " << step;
    work.memory = cuda::properties().memory + 1;
    EXPECT_EQ(auto_device(work), Device::cpu()) << "size " << step << " does not fit";
  }
}

TEST(GpuAutoDevice, PicksTheGpuForLargeWorkThatFits) {
  if (cuda::device_count() == 0) GTEST_SKIP() << cuda::unavailable_reason();
  if (test::simulates_gpus()) GTEST_SKIP() << "a simulated GPU has no speed to measure";
  const DeviceSpeed& speed = measured_speed(Device::cuda());
  EXPECT_GT(speed.bytes, measured_speed(Device::cpu()).bytes);
  EXPECT_EQ(auto_device(1e14, 1e6), Device::cuda());
  EXPECT_EQ(auto_device(10, 10), Device::cpu());
  EXPECT_EQ(auto_device(1e18, 1e15), Device::cpu()) << "it does not fit in memory";
}

}  // namespace
}  // namespace minima::auto_device_test
