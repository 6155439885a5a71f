#include "simulated/tests/simulated.h"

namespace simulated::copies_test {
namespace {

class SimulatedCopies : public Simulated {};

/// The numbers that a copy to the device brings if its source is overwritten right after the call.
std::set<int> brought(int* (*make_source)(std::size_t), std::size_t count) {
  return outcomes([=] {
    int* const source = make_source(count);
    std::fill(source, source + count, 7);
    int* const x = device_ints(count);
    EXPECT_CUDA(cudaMemcpyAsync(x, source, count * sizeof(int), cudaMemcpyHostToDevice, new_stream()));
    std::fill(source, source + count, 9);
    return value_of(x + count - 1);
  });
}

int* pageable_ints(std::size_t count) {
  static std::vector<int> memory;
  memory.assign(count, 0);
  return memory.data();
}

// Runtime API, "API synchronization behavior": pageable memory is staged before the call returns; pinned memory is read
// when the copy runs.
TEST_F(SimulatedCopies, APinnedSourceIsReadLateAndAPageableOneAtOnce) {
  EXPECT_EQ(brought(pageable_ints, 100), std::set<int>{7});
  EXPECT_EQ(brought(pageable_ints, 100'000), std::set<int>{7});
  EXPECT_EQ(brought(pinned_ints, 100), (std::set<int>{7, 9})) << "the overwritten source shows";
}

// The same: beyond 64 KB of pageable memory the stream is waited for first.
TEST_F(SimulatedCopies, ALargePageableSourceWaitsForTheStream) {
  const auto earlier_work = [](std::size_t count) {
    return outcomes([count] {
      const cudaStream_t stream = new_stream();
      int* const host = pinned_ints(1);
      *host = 0;
      int* const x = device_ints(count);
      EXPECT_CUDA(launch(stream, store_kernel, host, 1));
      EXPECT_CUDA(cudaMemcpyAsync(x, pageable_ints(count), 4 * count, cudaMemcpyHostToDevice, stream));
      return *host;
    });
  };
  EXPECT_EQ(earlier_work(16'385), std::set<int>{1});
  EXPECT_EQ(earlier_work(16'384), (std::set<int>{0, 1}));
}

// The same: a copy to pinned memory lands when it runs.
TEST_F(SimulatedCopies, ToPinnedMemoryLandLate) {
  const std::set<int> seen = outcomes([] {
    int* const host = pinned_ints(1);
    *host = 0;
    int* const x = device_ints(1);
    EXPECT_CUDA(cudaMemset(x, 1, 4));
    EXPECT_CUDA(cudaDeviceSynchronize());
    EXPECT_CUDA(cudaMemcpyAsync(host, x, 4, cudaMemcpyDeviceToHost, new_stream()));
    return *host;
  });
  EXPECT_EQ(seen, (std::set<int>{0, 0x01010101}));
}

// Runtime API, cudaMemcpy: the synchronous form is done when it returns.
TEST_F(SimulatedCopies, TheSynchronousFormWaits) {
  EXPECT_EQ(outcomes([] {
              int* const host = pinned_ints(1);
              int* const x = device_ints(1);
              EXPECT_CUDA(launch(nullptr, store_kernel, x, 7));
              EXPECT_CUDA(cudaMemcpy(host, x, 4, cudaMemcpyDeviceToHost));
              return *host;
            }),
            std::set<int>{7});
}

// Runtime API, cudaMemcpyAsync: a kind that does not fit the addresses; cudaMemcpyPeerAsync: devices that do not.
TEST_F(SimulatedCopies, ADirectionMustFitTheAddresses) {
  int* const x = device_ints(1);
  int value = 0;
  EXPECT_EQ(cudaMemcpyAsync(&value, x, 4, cudaMemcpyHostToDevice, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyAsync(&value, x, 4, static_cast<cudaMemcpyKind>(7), nullptr), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpyPeerAsync(x, 1, x, 0, 4, nullptr), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaMemcpyAsync(nullptr, nullptr, 0, cudaMemcpyDeviceToDevice, nullptr));
}

// Runtime API, cudaErrorIllegalAddress: bytes beyond an allocation.
TEST_F(SimulatedCopies, BeyondAnAllocationIsAnIllegalAddress) {
  int* const x = device_ints(10);
  EXPECT_CUDA(cudaMemsetAsync(x, 0, 40, nullptr));
  EXPECT_CUDA(cudaDeviceSynchronize());
  static_cast<void>(cudaMemsetAsync(x, 0, 41, nullptr));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

// Driver API, "Peer Context Memory Access": without it a device does not reach another's memory.
TEST_F(SimulatedCopies, AMemsetDoesNotReachAnotherDevice) {
  int* const x = device_ints(1);
  EXPECT_CUDA(cudaSetDevice(1));
  static_cast<void>(cudaMemsetAsync(x, 0, 4, nullptr));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

}  // namespace
}  // namespace simulated::copies_test
