#include "tests/support/gpu_test.h"
#include "tests/support/simulated_gpus.h"

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/cuda/nvml.h>
#include <minima/tensor/memory/device/gpu_memory.h>
#include <minima/tensor/memory/memory_snapshot.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/print.h>
#include <minima/tensor/transfer.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <numeric>
#include <thread>

// The runtime on a real GPU. Without one these tests are skipped; they never pass vacuously.

namespace minima::gpu_test {
namespace {

constexpr Device gpu = Device::cuda();

class GpuRuntime : public test::GpuTest {};

Tensor counting(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0.0f);
  return from_vector(values, {count});
}

TEST_F(GpuRuntime, PropertiesAreThoseOfAGpu) {
  const cuda::DeviceProperties& properties = cuda::properties();
  EXPECT_FALSE(properties.name.empty());
  EXPECT_GE(properties.major, 7);
  EXPECT_GT(properties.multiprocessors, 0);
  EXPECT_GT(properties.memory, std::int64_t{1} << 30);
  EXPECT_GE(cuda::driver_version(), cuda::runtime_version() / 1000 * 1000);
  const Tensor held = zeros({1}, {.device = gpu});
  const cuda::Sensors sensors = cuda::sensors();
  EXPECT_EQ(sensors.known, sensors.reason.empty());
  if (sensors.known) {
    EXPECT_GT(sensors.memory_used, 0);
    EXPECT_LE(sensors.utilization, 100);
    if (!test::simulates_gpus()) {
      EXPECT_GT(sensors.temperature, 0);
    }
  }
}

TEST_F(GpuRuntime, ValuesComeBackAsTheyWent) {
  for (const std::int64_t count : {1, 7, 1000, 3'000'000}) {
    const Tensor x = counting(count), there = detail::on_device(x, gpu), back = detail::on_host(there);
    EXPECT_EQ(there.device(), gpu);
    EXPECT_TRUE(allclose(back, x, {0, 0})) << count;
  }
}

TEST_F(GpuRuntime, ValuesAreReadThroughViews) {
  const Tensor there = detail::on_device(counting(12), gpu);
  Layout layout = Layout::contiguous({3, 4});
  std::swap(layout.shape[0], layout.shape[1]);
  std::swap(layout.strides[0], layout.strides[1]);
  const Tensor transposed(new TensorImpl(there.impl()->storage, layout, DType::float32));
  EXPECT_EQ(transposed.to_vector<float>(), (std::vector<float>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  EXPECT_NE(to_string(transposed).find("cuda:0"), std::string::npos);
  EXPECT_EQ(from_vector<float>({5}, {1}, gpu).item<float>(), 5.0f);
  EXPECT_EQ(scalar_tensor(2.5, {.device = gpu}).item<float>(), 2.5f);
}

TEST_F(GpuRuntime, CopiesBetweenDevicesNeedNoOtherMemory) {
  const Tensor there = zeros({8}, {.device = gpu}), here = zeros({8});
  const std::int64_t before = memory_stats(gpu).allocations;
  copy_(there, counting(8));
  copy_(here, there);
  EXPECT_EQ(memory_stats(gpu).allocations, before);
  EXPECT_TRUE(identical(here, counting(8)));
}

TEST_F(GpuRuntime, ABatchLoopReusesItsMemory) {
  empty_cache(gpu);
  const auto batch = [] {
    std::vector<Tensor> tensors;
    for (std::int64_t i = 1; i <= 40; ++i) tensors.push_back(empty({i * i * 1000}, {.device = gpu}));
  };
  batch();
  const MemoryStats before = memory_stats(gpu);
  for (int i = 0; i < 100; ++i) batch();
  const MemoryStats after = memory_stats(gpu);
  EXPECT_EQ(after.allocations - before.allocations, 4000);
  EXPECT_EQ(after.system_allocations, before.system_allocations);
  EXPECT_EQ(after.allocated, before.allocated);
}

TEST_F(GpuRuntime, AnEmptyTensorIsMadeQuickly) {
  empty({1024}, {.device = gpu});
  double least = 1e9;
  for (int run = 0; run < 20; ++run) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 10000; ++i) empty({1024}, {.device = gpu});
    least = std::min(
        least, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / 10000);
  }
  std::cout << least << " ns for empty({1024}) on the GPU (goal: 150)\n";
  EXPECT_LT(least, 2000);
}

TEST_F(GpuRuntime, AProgramThatAskedForTooMuchHalvesItsBatchAndFinishes) {
  empty_cache(gpu);
  const MemoryStats baseline = memory_stats(gpu);
  std::int64_t batch = cuda::properties().memory / 4;  // eight of these exceed the memory
  int failures = 0;
  for (bool finished = false; !finished;) {
    try {
      std::vector<Tensor> activations;
      for (int i = 0; i < 8; ++i) activations.push_back(empty({batch}, {.dtype = DType::uint8, .device = gpu}));
      finished = true;
    } catch (const OutOfMemoryError& error) {
      EXPECT_NE(std::string(error.what()).find("use a smaller batch"), std::string::npos) << error.what();
      batch /= 2;
      ++failures;
    }
  }
  EXPECT_GE(failures, 1);
  EXPECT_EQ(memory_stats(gpu).allocated, baseline.allocated);
  empty_cache(gpu);
  EXPECT_EQ(memory_stats(gpu).reserved, baseline.reserved);
}

TEST_F(GpuRuntime, PinnedCopiesRunBesideTheHostAndArrive) {
  const Tensor host = empty_pinned(Layout::contiguous({1 << 22}));
  EXPECT_TRUE(is_pinned(host));
  float* const values = host.data<float>();
  for (int i = 0; i < 1 << 22; ++i) values[i] = static_cast<float>(i % 1000);
  Tensor there;
  {
    const Tensor source = host;
    there = detail::on_device(source, gpu);
  }
  Event done;
  const Tensor back = fetch_async(there, done);
  done.synchronize();
  EXPECT_TRUE(done.is_done());
  EXPECT_TRUE(is_pinned(back));
  EXPECT_TRUE(allclose(back, host, {0, 0}));
}

TEST_F(GpuRuntime, StreamsNestAndBelongToThreads) {
  const Stream first = Stream::create(gpu), second = Stream::create(gpu, -100);
  EXPECT_FALSE(first == second);
  EXPECT_EQ(current_stream(gpu), Stream(gpu));
  {
    const StreamGuard outer(first);
    EXPECT_EQ(current_stream(gpu), first);
    {
      const StreamGuard inner(second);
      EXPECT_EQ(current_stream(gpu), second);
    }
    EXPECT_EQ(current_stream(gpu), first);
    std::thread([] { EXPECT_EQ(current_stream(gpu), Stream(gpu)); }).join();
  }
  EXPECT_EQ(current_stream(gpu), Stream(gpu));
  EXPECT_EQ(Stream::wrap(first.handle(), gpu).handle(), first.handle());
}

TEST_F(GpuRuntime, EventsMeasureTheTimeBetween) {
  Event start(true), end(true);
  const Stream stream = Stream::create(gpu);
  const StreamGuard guard(stream);
  start.record(stream);
  const Tensor x = detail::on_device(counting(8'000'000), gpu);
  end.record(stream);
  const float milliseconds = end.since(start);
  EXPECT_GT(milliseconds, 0.05f);
  EXPECT_LT(milliseconds, 1000.0f);
  EXPECT_THROW(Event().since(start), ValueError);
  stream.synchronize();
  EXPECT_TRUE(stream.is_idle());
}

TEST_F(GpuRuntime, HandedOverMemoryIsNotUsedAgainTooEarly) {
  const Stream owner = Stream::create(gpu), reader = Stream::create(gpu);
  const Tensor poison = detail::on_device(from_vector(std::vector<float>(1 << 20, -1.0f), {1 << 20}), gpu);
  const Tensor good = detail::on_device(from_vector(std::vector<float>(1 << 20, 1.0f), {1 << 20}), gpu);
  synchronize(gpu);
  for (int round = 0; round < 200; ++round) {
    Tensor copy;
    const StreamGuard guard(owner);
    {
      const Tensor x = empty({1 << 20}, {.device = gpu});
      detail::transfer(good, x);
      Event made;
      made.record(owner);
      reader.wait(made);
      const StreamGuard side(reader);
      copy = empty({1 << 20}, {.device = gpu});
      detail::transfer(x, copy);
      hand_over(x, reader);
    }
    const Tensor next = empty({1 << 20}, {.device = gpu});
    detail::transfer(poison, next);
    const StreamGuard side(reader);
    const std::vector<float> values = copy.to_vector<float>();
    ASSERT_EQ(std::count(values.begin(), values.end(), 1.0f), 1 << 20) << "round " << round;
  }
}

TEST_F(GpuRuntime, TheSnapshotAddsUp) {
  const Tensor x = empty({1 << 20}, {.device = gpu}), y = empty({100}, {.device = gpu});
  const MemorySnapshot snapshot = memory_snapshot(gpu);
  std::int64_t used = 0;
  for (const auto& segment : snapshot.segments)
    for (const auto& block : segment.blocks)
      used += block.state == MemorySnapshot::Block::State::used ? block.bytes : 0;
  EXPECT_EQ(used, memory_stats(gpu).allocated);
  EXPECT_NE(memory_summary(gpu).find("memory of cuda:0"), std::string::npos);
}

}  // namespace
}  // namespace minima::gpu_test
