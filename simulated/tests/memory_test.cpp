#include "simulated/tests/simulated.h"

namespace simulated::memory_test {
namespace {

class SimulatedMemory : public Simulated {};

std::size_t free_bytes() {
  std::size_t free = 0, total = 0;
  EXPECT_CUDA(cudaMemGetInfo(&free, &total));
  return free;
}

// Runtime API, cudaMalloc: "cudaErrorMemoryAllocation"; cudaMemGetInfo counts.
TEST_F(SimulatedMemory, IsLimitedByTheDevice) {
  const std::size_t before = free_bytes();
  EXPECT_GT(before, std::size_t{79} << 30);
  void* most = nullptr;
  EXPECT_CUDA(cudaMalloc(&most, std::size_t{70} << 30));
  EXPECT_EQ(before - free_bytes(), std::size_t{70} << 30);
  void* more = nullptr;
  EXPECT_EQ(cudaMalloc(&more, std::size_t{10} << 30), cudaErrorMemoryAllocation);
  EXPECT_CUDA(cudaFree(most));
  EXPECT_EQ(free_bytes(), before);
}

// Runtime API, cudaMalloc: "The memory is not cleared."
TEST_F(SimulatedMemory, IsNotCleared) { EXPECT_EQ(value_of(device_ints(1)), -1); }

// Runtime API, cudaFree: an address that was not allocated, or freed before.
TEST_F(SimulatedMemory, IsFreedOnce) {
  int* const x = device_ints(10);
  EXPECT_EQ(cudaFree(x + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(x), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaFree(x));
  EXPECT_EQ(cudaFree(x), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaFree(nullptr));
}

// Runtime API, cudaFree: "for all other pointers, this API may perform implicit synchronization", of its own device.
TEST_F(SimulatedMemory, AFreeWaitsForItsDeviceButNotForOthers) {
  int* const x = device_ints(1);
  EXPECT_CUDA(cudaMemsetAsync(x, 0, 4, new_stream()));
  EXPECT_EQ(report_of([&] { EXPECT_CUDA(cudaFree(x)); }), "0 reports");
  for (std::uint64_t seed = 1; seed < 60; ++seed) {
    restart("2xH100", seed);
    int* const shared = device_ints(1);
    EXPECT_CUDA(cudaSetDevice(1));
    int* const own = device_ints(1);
    EXPECT_CUDA(cudaMemcpyPeerAsync(own, 1, shared, 0, 4, new_stream()));
    if (const std::string text = report_of([&] { EXPECT_CUDA(cudaFree(shared)); }); text != "0 reports") {
      EXPECT_EQ(text, "cudaFree: a copy on cuda:1 has not run yet and may use the memory");
      return;
    }
  }
  FAIL() << "no seed left the copy for later";
}

// Runtime API, cudaFreeAsync: stream-ordered; other streams that use the memory must be waited for.
TEST_F(SimulatedMemory, AStreamOrderedFreeReportsOtherStreams) {
  const auto reports = [](bool wait) {
    std::set<std::string> texts;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      restart("1xH100", seed);
      const cudaStream_t owner = new_stream(), other = new_stream();
      const cudaEvent_t done = new_event();
      void* x = nullptr;
      EXPECT_CUDA(cudaMallocAsync(&x, 4, owner));
      EXPECT_CUDA(cudaMemsetAsync(x, 0, 4, other));
      EXPECT_CUDA(cudaEventRecord(done, other));
      if (wait) {
        EXPECT_CUDA(cudaStreamWaitEvent(owner, done));
      }
      texts.insert(report_of([&] {
        EXPECT_CUDA(cudaFreeAsync(x, owner));
        static_cast<void>(cudaDeviceSynchronize());
      }));
    }
    return texts;
  };
  EXPECT_EQ(reports(true), std::set<std::string>{"0 reports"});
  EXPECT_TRUE(reports(false).count("cudaFreeAsync: a memset on cuda:0 has not run yet and may use the memory"));
}

// Pinned memory that a pending copy still reads: the documentation promises no wait in cudaFreeHost.
TEST_F(SimulatedMemory, PinnedMemoryInUseIsReported) {
  std::set<std::string> texts;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    restart("1xH100", seed);
    int* const host = pinned_ints(1);
    int* const x = device_ints(1);
    EXPECT_CUDA(cudaMemcpyAsync(x, host, 4, cudaMemcpyHostToDevice, new_stream()));
    texts.insert(report_of([&] { EXPECT_CUDA(cudaFreeHost(host)); }));
  }
  EXPECT_TRUE(texts.count("cudaFreeHost: a copy on cuda:0 has not run yet and may use the memory"));
}

// The words of a kernel's arguments tell what it may use, also inside structures.
struct Pointers {
  int count;
  int* targets[2];
};
void store_all_kernel(Pointers pointers, int value) {
  for (int i = 0; i < pointers.count; ++i) *pointers.targets[i] = value;
}
TEST_F(SimulatedMemory, AKernelsArgumentsTellWhatItMayUse) {
  std::set<std::string> texts;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    restart("1xH100", seed);
    int* const host = pinned_ints(1);
    EXPECT_CUDA(launch(new_stream(), store_all_kernel, Pointers{0, {host, nullptr}}, 3));
    texts.insert(report_of([&] { EXPECT_CUDA(cudaFreeHost(host)); }));
  }
  EXPECT_TRUE(texts.count("cudaFreeHost: kernel test on cuda:0 has not run yet and may use the memory"));
}

// Runtime API, cudaPointerGetAttributes.
TEST_F(SimulatedMemory, AnAddressTellsWhatItIs) {
  EXPECT_CUDA(cudaSetDevice(1));
  int* const x = device_ints(10);
  int* const host = pinned_ints(10);
  cudaPointerAttributes attributes{};
  EXPECT_CUDA(cudaPointerGetAttributes(&attributes, x + 9));
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.device, 1);
  EXPECT_CUDA(cudaPointerGetAttributes(&attributes, host + 9));
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  EXPECT_CUDA(cudaPointerGetAttributes(&attributes, &attributes));
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
}

// Runtime API, cudaErrorIllegalAddress: freed memory is gone.
TEST_F(SimulatedMemory, AKernelOnFreedMemoryIsAnIllegalAddress) {
  int* const x = device_ints(1);
  EXPECT_CUDA(cudaFree(x));
  static_cast<void>(launch(nullptr, store_kernel, x, 1));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

/// With MINIMA_SIMULATED_STRICT_HOST=1 a pointer of a GPU is none for the host, whoever allocated and wrote there.
class SimulatedStrictHost : public Simulated {
 protected:
  void SetUp() override {
    setenv("MINIMA_SIMULATED_STRICT_HOST", "1", 1);
    Simulated::SetUp();
  }
  void TearDown() override { unsetenv("MINIMA_SIMULATED_STRICT_HOST"); }
};

TEST_F(SimulatedStrictHost, TheHostsReadOfAGpusMemoryEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        int* const p = device_ints(1024);
        EXPECT_CUDA(cudaMemset(p, 0, 4096));
        std::printf("%d", *p);
      },
      "the host touched 0x[0-9a-f]+, an address of a GPU");
}

TEST_F(SimulatedStrictHost, CopiesAndKernelsReachIt) {
  int* const p = device_ints(1024);
  EXPECT_CUDA(launch(nullptr, store_kernel, p + 3, 5));
  int value = 0;
  EXPECT_CUDA(cudaMemcpy(&value, p + 3, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT_EQ(value, 5);
  int* const pinned = pinned_ints(1);
  EXPECT_CUDA(launch(nullptr, load_kernel, pinned, static_cast<const int*>(p + 3)));
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(*pinned, 5);
}

// A kernel that leaves its memory ends the program and is named.
TEST_F(SimulatedMemory, AKernelThatLeavesItsMemoryIsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        static_cast<void>(launch(nullptr, store_kernel, device_ints(1024) + 1024, 1));
        static_cast<void>(cudaDeviceSynchronize());
      },
      "kernel test on cuda:0 touched");
}

}  // namespace
}  // namespace simulated::memory_test
