#include "simulated/tests/simulated.h"

namespace simulated::streams_test {
namespace {

class SimulatedStreams : public Simulated {};

// CUDA C++ Programming Guide, "Asynchronous Concurrent Execution": a launch returns before the device has finished it.
TEST_F(SimulatedStreams, WorkRunsLate) {
  const std::set<int> seen = outcomes([] {
    int* const host = pinned_ints(1);
    *host = 0;
    EXPECT_CUDA(launch(new_stream(), store_kernel, host, 7));
    return *host;
  });
  EXPECT_TRUE(seen.count(0)) << "some seed has not run it when the launch returns";
  EXPECT_EQ(outcomes([] {
              int* const host = pinned_ints(1);
              const cudaStream_t stream = new_stream();
              EXPECT_CUDA(launch(stream, store_kernel, host, 7));
              EXPECT_CUDA(cudaStreamSynchronize(stream));
              return *host;
            }),
            std::set<int>{7});
}

// Programming Guide, "Streams": commands of one stream run in order, those of different streams in any.
TEST_F(SimulatedStreams, OneStreamIsInOrderAndTwoAreNot) {
  const auto last_of = [](bool same) {
    return outcomes([same] {
      int* const x = device_ints(1);
      const cudaStream_t a = new_stream(), b = same ? a : new_stream();
      EXPECT_CUDA(launch(a, store_kernel, x, 1));
      EXPECT_CUDA(launch(b, store_kernel, x, 2));
      return value_of(x);
    });
  };
  EXPECT_EQ(last_of(true), std::set<int>{2});
  EXPECT_EQ(last_of(false), (std::set<int>{1, 2}));
}

// Runtime API, "Stream synchronization behavior", legacy default stream: it takes turns with blocking streams and not
// with those made with cudaStreamNonBlocking.
TEST_F(SimulatedStreams, TheLegacyStreamTakesTurnsWithBlockingStreamsOnly) {
  const auto last_of = [](unsigned flags, bool legacy_first) {
    return outcomes([=] {
      int* const x = device_ints(1);
      const cudaStream_t other = new_stream(flags);
      EXPECT_CUDA(launch(legacy_first ? nullptr : other, store_kernel, x, 1));
      EXPECT_CUDA(launch(legacy_first ? other : cudaStreamLegacy, store_kernel, x, 2));
      return value_of(x);
    });
  };
  EXPECT_EQ(last_of(cudaStreamDefault, true), std::set<int>{2});
  EXPECT_EQ(last_of(cudaStreamDefault, false), std::set<int>{2});
  EXPECT_EQ(last_of(cudaStreamNonBlocking, true), (std::set<int>{1, 2}));
  EXPECT_EQ(last_of(cudaStreamNonBlocking, false), (std::set<int>{1, 2}));
}

// Programming Guide, "Stream and Event Behavior": each device has its own default stream; null is the current one's.
TEST_F(SimulatedStreams, NullIsTheDefaultStreamOfTheCurrentDevice) {
  const std::set<int> seen = outcomes([] {
    int* const host = pinned_ints(1);
    *host = 0;
    EXPECT_CUDA(cudaSetDevice(1));
    EXPECT_CUDA(launch(nullptr, store_kernel, host, 7));
    EXPECT_CUDA(cudaSetDevice(0));
    EXPECT_CUDA(cudaStreamSynchronize(nullptr));  // waits for the other device's stream
    return *host;
  });
  EXPECT_TRUE(seen.count(0)) << "synchronising with the wrong device's stream goes unseen";
}

// Runtime API, cudaDeviceSynchronize: waits for all streams of the current device, also destroyed ones.
TEST_F(SimulatedStreams, SynchronisingADeviceWaitsForAllItsStreams) {
  EXPECT_EQ(outcomes([] {
              int* const host = pinned_ints(2);
              const cudaStream_t a = new_stream(), b = new_stream();
              EXPECT_CUDA(launch(a, store_kernel, host, 1));
              EXPECT_CUDA(launch(b, store_kernel, host + 1, 2));
              EXPECT_CUDA(cudaStreamDestroy(b));
              EXPECT_CUDA(cudaDeviceSynchronize());
              return host[0] + host[1];
            }),
            std::set<int>{3});
}

// Runtime API, cudaStreamQuery.
TEST_F(SimulatedStreams, AQueryDoesNotWaitAndSaysReadyOnlyAfterwards) {
  bool was_busy = false;
  for (const int host_value : outcomes([&was_busy] {
         int* const host = pinned_ints(1);
         *host = 0;
         const cudaStream_t stream = new_stream();
         EXPECT_CUDA(launch(stream, store_kernel, host, 7));
         while (cudaStreamQuery(stream) == cudaErrorNotReady) was_busy = true;
         return *host;
       }))
    EXPECT_EQ(host_value, 7);
  EXPECT_TRUE(was_busy);
}

TEST_F(SimulatedStreams, ADestroyedStreamIsNoHandle) {
  const cudaStream_t stream = new_stream();
  EXPECT_CUDA(cudaStreamDestroy(stream));
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
}

// Programming Guide, "Stream and Event Behavior": "A kernel launch will fail if it is issued to a stream that is not
// associated to the current device"; "a memory copy will succeed".
TEST_F(SimulatedStreams, OfAnotherDeviceTakeCopiesButNoKernels) {
  const cudaStream_t of_first = new_stream();
  EXPECT_CUDA(cudaSetDevice(1));
  int* const x = device_ints(1);
  int value = 5;
  EXPECT_CUDA(cudaMemcpyAsync(x, &value, sizeof value, cudaMemcpyHostToDevice, of_first));
  EXPECT_EQ(launch(of_first, store_kernel, x, 1), cudaErrorInvalidResourceHandle);
}

// One seed, one order.
TEST_F(SimulatedStreams, ASeedRepeatsItsOrder) {
  const auto order = [](std::uint64_t seed) {
    restart("1xH100", seed);
    int* const x = device_ints(1);
    for (int i = 0; i < 20; ++i) EXPECT_CUDA(launch(new_stream(), store_kernel, x, i));
    return value_of(x);
  };
  std::set<int> different;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(order(seed), order(seed)) << seed;
    different.insert(order(seed));
  }
  EXPECT_GT(different.size(), 3u);
}

}  // namespace
}  // namespace simulated::streams_test
