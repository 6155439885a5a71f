#include "simulated/machine/gpu_kind.h"
#include "simulated/machine/schedule.h"
#include "simulated/tests/simulated.h"

#include <cuda.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace simulated::machine_test {
namespace {

class SimulatedMachine : public Simulated {};

TEST(SimulatedGpus, AreReadFromADescription) {
  const std::vector<GpuKind> gpus = parse_gpus("2xH200,L4");
  ASSERT_EQ(gpus.size(), 3u);
  EXPECT_STREQ(gpus[1].name, "NVIDIA H200");
  EXPECT_EQ(gpus[2].minor, 9);
  for (const char* const text : {"4xH300", "0xH100", "17xH100", "x", "H100x4"})
    EXPECT_THROW(parse_gpus(text), std::invalid_argument) << text;
}

// Two transfers a cycle of the memory's clock, on all of the bus, are the bandwidth of the data sheet.
TEST(SimulatedGpus, HaveConsistentNumbers) {
  for (const GpuKind& kind : gpu_kinds()) {
    const double from_clock = 2.0 * kind.memory_clock_khz * 1e3 * kind.memory_bus_bits / 8;
    EXPECT_NEAR(from_clock / kind.bandwidth, 1, 0.03) << kind.key;
    EXPECT_GT(kind.peak_bfloat16, kind.peak_float32) << kind.key;
    EXPECT_LT(kind.host_bandwidth, kind.bandwidth) << kind.key;
  }
}

/// The number of GPUs that a process with this description has.
void exit_with_device_count(const char* description) {
  setenv("MINIMA_SIMULATED_GPUS", description, 1);
  int count = 0;
  static_cast<void>(cudaGetDeviceCount(&count));
  std::exit(10 + count);
}

TEST(SimulatedGpus, AreThoseOfTheEnvironment) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_with_device_count("3xL4"), ::testing::ExitedWithCode(13), "");
  EXPECT_EXIT(exit_with_device_count(""), ::testing::ExitedWithCode(11), "");
  EXPECT_EXIT(exit_with_device_count("3xL5"), ::testing::ExitedWithCode(2),
              "\"3xL5\" is no list like .* of H100, H200, A100, L4, RTX4090, B200");
}

// Runtime API, cudaDeviceGetStreamPriorityRange: the greatest priority is the least number.
TEST_F(SimulatedMachine, HasStreamPriorities) {
  int least = -1, greatest = 1;
  EXPECT_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT_EQ(least, 0);
  EXPECT_LT(greatest, least);
  cudaStream_t stream = nullptr;
  EXPECT_CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
  EXPECT_EQ(cudaStreamCreateWithPriority(&stream, 7, greatest), cudaErrorInvalidValue) << "unknown flags";
}

TEST_F(SimulatedMachine, TellsWhatItsGpusAre) {
  restart("H200,A100", 1);
  int count = 0;
  EXPECT_CUDA(cudaGetDeviceCount(&count));
  EXPECT_EQ(count, 2);
  cudaDeviceProp properties{};
  EXPECT_CUDA(cudaGetDeviceProperties(&properties, 1));
  EXPECT_STREQ(properties.name, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(properties.major, 8);
  EXPECT_EQ(properties.multiProcessorCount, 108);
  EXPECT_EQ(properties.sharedMemPerBlockOptin, std::size_t{163} << 10);
  int clock = 0;
  EXPECT_CUDA(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0));
  EXPECT_EQ(clock, 1'980'000);
  char first[16], second[16];
  EXPECT_CUDA(cudaDeviceGetPCIBusId(first, sizeof first, 0));
  EXPECT_CUDA(cudaDeviceGetPCIBusId(second, sizeof second, 1));
  EXPECT_STRNE(first, second);
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 2), cudaErrorInvalidDevice);
}

// Runtime API, cudaSetDevice: "will also immediately initialize the runtime state on the primary context".
TEST_F(SimulatedMachine, CountsContexts) {
  int count = 0;
  EXPECT_CUDA(cudaGetDeviceCount(&count));
  EXPECT_EQ(contexts(), 0) << "asking makes none";
  EXPECT_CUDA(cudaSetDevice(1));
  EXPECT_EQ(contexts(), 1);
  EXPECT_TRUE(has_context(1));
  std::thread([] { pinned_ints(1); }).join();
  EXPECT_TRUE(has_context(0)) << "another thread's current device is 0, and pinned memory needs its context";
}

// The driver's memory functions make no context, and a context takes up memory.
TEST_F(SimulatedMachine, VirtualMemoryMakesNoContext) {
  CUdeviceptr range = 0;
  EXPECT_EQ(cuMemAddressReserve(&range, 2 << 20, 0, 0, 0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(contexts(), 0);
  std::size_t free = 0, total = 0;
  EXPECT_CUDA(cudaMemGetInfo(&free, &total));
  EXPECT_EQ(contexts(), 1);
  EXPECT_LT(free, total);
}

// Programming Guide, "Device Selection": the current device belongs to the thread, at first 0.
TEST_F(SimulatedMachine, EachThreadHasACurrentDevice) {
  EXPECT_CUDA(cudaSetDevice(1));
  int here = -1, there = -1;
  std::thread([&] { EXPECT_CUDA(cudaGetDevice(&there)); }).join();
  EXPECT_CUDA(cudaGetDevice(&here));
  EXPECT_EQ(here, 1);
  EXPECT_EQ(there, 0);
}

TEST_F(SimulatedMachine, ManyThreadsMayCall) {
  constexpr int threads = 8, rounds = 200;
  std::vector<int*> counters;
  for (int i = 0; i < threads; ++i) counters.push_back(pinned_ints(1));
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i)
    workers.emplace_back([counter = counters[static_cast<std::size_t>(i)], device = i % 2] {
      EXPECT_CUDA(cudaSetDevice(device));
      const cudaStream_t stream = new_stream();
      const cudaEvent_t event = new_event();
      for (int round = 0; round < rounds; ++round) {
        EXPECT_CUDA(launch(stream, store_kernel, counter, round));
        EXPECT_CUDA(cudaEventRecord(event, stream));
        while (cudaEventQuery(event) == cudaErrorNotReady) std::this_thread::yield();
        EXPECT_EQ(*counter, round);
      }
    });
  for (std::thread& worker : workers) worker.join();
}

// A communicator holds its last calls, which hold it.
TEST(SimulatedSchedule, WorkThatHasEndedHoldsNothing) {
  const auto held = std::make_shared<int>(0);
  std::mutex mutex;
  const std::lock_guard lock(mutex);
  Schedule schedule(1, mutex);
  const auto work = [&] { return Work{.begin = [held, &schedule](const TaskRef& task) { schedule.end(task); }}; };
  const TaskRef run = schedule.add(work(), {}, 0), dropped = schedule.add(work(), {}, 0);
  schedule.finish(run);
  schedule.drop();
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace simulated::machine_test
