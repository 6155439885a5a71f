#include "simulated/tests/library/library.h"
#include "tests/support/expect_error.h"

#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/cuda/devices.h>
#include <minima/tensor/cuda/nvml.h>
#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/settings.h>
#include <minima/tensor/storage/allocator.h>
#include <minima/tensor/tensor.h>
#include <minima/train/captured_step/captured_step.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

// CUDA refuses a call, and the runtime makes an error of that.

namespace minima::runtime_test {
namespace {

using test::message_of;

class SimulatedRuntime : public LibraryOnSimulatedGpus {
 protected:
  void TearDown() override { debug_memory(false); }
};

constexpr TensorOptions on_first{.device = first_gpu};

TEST_F(SimulatedRuntime, AFailureInADestructorIsToldByTheNextCallThatWaits) {
  {
    Event event;
    event.record(current_stream(first_gpu));
    simulated::fail_call("cudaEventDestroy", 1, cudaErrorUnknown);
  }
  const std::string text = message_of<Error>([] { synchronize(first_gpu); });
  EXPECT_CONTAINS(text, "cudaEventDestroy");
  EXPECT_CONTAINS(text, "it happened earlier, in a destructor");
  EXPECT_NO_THROW(synchronize(first_gpu)) << "told once";
}

/// A wait that fails once is tried again, since what waits would otherwise free memory in use.
TEST_F(SimulatedRuntime, AStreamIsDrainedAlthoughAWaitFails) {
  int* const host = pinned_ints(1);
  EXPECT_EQ(failures([=] {
              *host = 0;
              launch_on(first_gpu, store_kernel, host, 7);
              simulated::fail_call("cudaStreamSynchronize", 1, cudaErrorUnknown);
              const bool drained = detail::drain(*current_stream(first_gpu).state());
              EXPECT_CONTAINS(message_of<Error>([] { synchronize(first_gpu); }), "cudaStreamSynchronize");
              return drained && *host == 7;
            }),
            0);
}

TEST_F(SimulatedRuntime, AStreamThatCannotFollowAnotherWaitsForIt) {
  int* const host = pinned_ints(1);
  const Stream side = Stream::create(first_gpu);
  EXPECT_EQ(failures([=] {
              *host = 0;
              launch_on(first_gpu, store_kernel, host, 7);
              simulated::fail_call("cudaStreamWaitEvent", 1, cudaErrorUnknown);
              detail::follow(side, current_stream(first_gpu));
              return *host == 7;
            }),
            0);
}

TEST_F(SimulatedRuntime, AnEventMovesToTheDeviceOfItsStream) {
  int* const host = pinned_ints(1);
  EXPECT_EQ(failures([=] {
              *host = 0;
              Event event;
              event.record(current_stream(first_gpu));
              launch_on(second_gpu, store_kernel, host, 7);
              event.record(current_stream(second_gpu));
              event.synchronize();
              return *host == 7;
            }),
            0);
}

TEST_F(SimulatedRuntime, AGpuThatIsNotThereIsNamed) {
  EXPECT_CONTAINS(message_of<DeviceError>([] { empty({1}, {.device = Device::cuda(7)}); }),
                  "cuda:7: no such GPU; GPUs that this process can use: 2");
  EXPECT_CONTAINS(message_of<DeviceError>([] { Stream::create(Device::cuda(99)); }), "minima supports at most 16 GPUs");
  EXPECT_CONTAINS(message_of<DeviceError>([] { Stream::create(Device::cpu()); }), "has no streams");
}

TEST_F(SimulatedRuntime, SensorsSayWhichCallFailed) {
  EXPECT_TRUE(cuda::sensors(0).known);
  for (const char* call : {"nvmlInit_v2", "nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetMemoryInfo"}) {
    simulated::fail_call(call, 1, 999);
    const cuda::Sensors sensors = cuda::sensors(0);
    EXPECT_FALSE(sensors.known);
    EXPECT_EQ(std::string(call).find(sensors.reason.substr(0, sensors.reason.find(':'))), 0u) << sensors.reason;
  }
  EXPECT_NE(cuda::driver_release(), "");
  simulated::fail_call("nvmlSystemGetDriverVersion", 1, 999);
  EXPECT_EQ(cuda::driver_release(), "");
}

[[noreturn]] void exit_after_work_without_virtual_memory() {
  setenv("MINIMA_NO_VMM", "1", 1);
  bool is_right = true;
  {
    const Tensor x = ones({1 << 20}, on_first);
    simulated::fail_call("cudaMalloc", 1, cudaErrorMemoryAllocation);
    { const Tensor idle = empty({8 << 20}, on_first); }  // the allocator asks again
    is_right = sum(x + x).item<float>() == 2 << 20;
  }
  is_right = is_right && simulated::calls("cuMemCreate") == 0 && simulated::calls("cudaMalloc") > 1;
  const std::size_t before = simulated::alive().bytes;
  empty_cache(first_gpu);
  is_right = is_right && simulated::alive().bytes + (40u << 20) <= before;
  std::exit(is_right ? 0 : 1);
}

TEST_F(SimulatedRuntime, WithoutVirtualMemoryBlocksAreAllocatedAndFreed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_after_work_without_virtual_memory(), ::testing::ExitedWithCode(0), "");
}

TEST_F(SimulatedRuntime, IdlePinnedMemoryIsGivenBack) {
  { const Tensor x = empty_pinned(Layout::contiguous({1 << 20})); }
  const MemoryStats before = pinned_memory_stats();
  EXPECT_GE(before.reserved - before.allocated, 4 << 20);
  empty_pinned_cache();
  EXPECT_LE(pinned_memory_stats().reserved, before.reserved - (4 << 20));
}

/// Other programs may have taken what can be pinned: idle blocks are given back, then the error says what was asked
/// for.
TEST_F(SimulatedRuntime, PinnedMemoryMayRunOut) {
  { const Tensor idle = empty_pinned(Layout::contiguous({1 << 20})); }
  simulated::fail_call("cudaHostAlloc", 1, cudaErrorMemoryAllocation);
  EXPECT_NO_THROW(empty_pinned(Layout::contiguous({16 << 20})));
  empty_pinned_cache();
  for (int n = 1; n <= 20; ++n) simulated::fail_call("cudaHostAlloc", n, cudaErrorMemoryAllocation);
  EXPECT_CONTAINS(message_of<OutOfMemoryError>([] { empty_pinned(Layout::contiguous({3 << 20})); }), "12.00 MiB");
}

TEST_F(SimulatedRuntime, TheDebugModeFindsAWriteOutsidePinnedMemory) {
  debug_memory(true);
  {
    const Tensor x = empty_pinned(Layout::contiguous({100}));
    static_cast<char*>(x.raw_data())[401] = 1;
  }
  EXPECT_CONTAINS(message_of<Error>([] { check_memory(); }), "a write outside a storage of 400 bytes");
}

TEST_F(SimulatedRuntime, AStepThatCannotBeCapturedRunsEagerlyAndSaysWhy) {
  for (const auto& [call, why] : {std::pair{"cudaStreamEndCapture", "contains work that cannot be captured"},
                                  {"cudaGraphInstantiate", "cudaGraphInstantiate"}}) {
    train::CapturedStep step([](const Tensor& x) { return x + x; }, {.warmup = 1});
    const Tensor x = ones({3}, on_first);
    step(x);
    simulated::fail_call(call, 1, cudaErrorUnknown);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(step(x).to_vector<float>(), std::vector<float>(3, 2)) << call;
    EXPECT_CONTAINS(step.reason(), why);
    EXPECT_EQ(step.counts().captured, 0);
  }
}

}  // namespace
}  // namespace minima::runtime_test
