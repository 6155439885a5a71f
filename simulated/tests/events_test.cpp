#include "simulated/tests/simulated.h"

namespace simulated::events_test {
namespace {

class SimulatedEvents : public Simulated {};

// Runtime API, cudaStreamWaitEvent: later work of the stream waits, across devices, too.
TEST_F(SimulatedEvents, OrderStreamsAcrossDevices) {
  const auto copied = [](bool wait) {
    return outcomes([wait] {
      int* const from = device_ints(1);
      EXPECT_CUDA(cudaMemset(from, 0, sizeof(int)));
      EXPECT_CUDA(cudaDeviceSynchronize());
      const cudaStream_t writer = new_stream();
      const cudaEvent_t made = new_event();
      EXPECT_CUDA(launch(writer, store_kernel, from, 7));
      EXPECT_CUDA(cudaEventRecord(made, writer));
      EXPECT_CUDA(cudaSetDevice(1));
      const cudaStream_t reader = new_stream();
      int* const to = device_ints(1);
      if (wait) {
        EXPECT_CUDA(cudaStreamWaitEvent(reader, made));
      }
      EXPECT_CUDA(cudaMemcpyPeerAsync(to, 1, from, 0, sizeof(int), reader));
      return value_of(to);
    });
  };
  EXPECT_EQ(copied(true), std::set<int>{7});
  EXPECT_EQ(copied(false), (std::set<int>{0, 7})) << "the missing wait shows";
}

// Runtime API, cudaStreamWaitEvent: it waits for the most recent record before the call, not for later ones; an event
// that was never recorded holds nothing up.
TEST_F(SimulatedEvents, AWaitIsForTheRecordBeforeIt) {
  const cudaStream_t a = new_stream(), b = new_stream();
  const cudaEvent_t event = new_event();
  EXPECT_CUDA(cudaStreamWaitEvent(b, event));
  EXPECT_CUDA(cudaStreamSynchronize(b));
  int* const host = pinned_ints(1);
  EXPECT_CUDA(cudaEventRecord(event, a));
  EXPECT_CUDA(cudaStreamWaitEvent(b, event));
  EXPECT_CUDA(launch(a, store_kernel, host, 1));
  EXPECT_CUDA(cudaEventRecord(event, a));
  EXPECT_CUDA(cudaStreamSynchronize(b));
  EXPECT_CUDA(cudaEventSynchronize(event));
  EXPECT_EQ(*host, 1);
}

// Programming Guide, "Stream and Event Behavior": "cudaEventRecord() will fail if the input event and input stream are
// associated to different devices".
TEST_F(SimulatedEvents, ARecordInAnotherDevicesStreamFails) {
  const cudaEvent_t event = new_event();
  EXPECT_CUDA(cudaSetDevice(1));
  EXPECT_EQ(cudaEventRecord(event, nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_CUDA(cudaEventQuery(event));  // "will succeed even if" the event is another device's
}

// Runtime API, cudaEventQuery and cudaEventDestroy: "may be destroyed before it is complete".
TEST_F(SimulatedEvents, AreDoneWhenTheWorkBeforeThemIs) {
  bool was_busy = false;
  EXPECT_EQ(outcomes([&was_busy] {
              int* const host = pinned_ints(1);
              const cudaEvent_t event = new_event();
              const cudaStream_t stream = new_stream();
              EXPECT_CUDA(launch(stream, store_kernel, host, 7));
              EXPECT_CUDA(cudaEventRecord(event, stream));
              while (cudaEventQuery(event) == cudaErrorNotReady) was_busy = true;
              const int value = *host;
              EXPECT_CUDA(cudaEventRecord(event, stream));
              EXPECT_CUDA(cudaEventDestroy(event));
              EXPECT_EQ(cudaEventQuery(event), cudaErrorInvalidResourceHandle);
              return value;
            }),
            std::set<int>{7});
  EXPECT_TRUE(was_busy);
}

// Runtime API, cudaEventElapsedTime: 400 without a record, without timing, for two devices; 600 before completion.
TEST_F(SimulatedEvents, MeasureTimeOnlyIfBothCan) {
  const cudaEvent_t start = new_event(cudaEventDefault), end = new_event(cudaEventDefault), untimed = new_event();
  const cudaStream_t stream = new_stream();
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorInvalidResourceHandle);
  EXPECT_CUDA(cudaEventRecord(start, stream));
  int* const x = device_ints(1 << 20);
  EXPECT_CUDA(cudaMemsetAsync(x, 0, 4 << 20, stream));
  EXPECT_CUDA(cudaEventRecord(end, stream));
  EXPECT_CUDA(cudaEventRecord(untimed, stream));
  EXPECT_CUDA(cudaEventSynchronize(untimed));
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, untimed), cudaErrorInvalidResourceHandle);
  EXPECT_CUDA(cudaEventElapsedTime(&milliseconds, start, end));
  EXPECT_GE(milliseconds, 1e3f * static_cast<float>((4 << 20) / 3.35e12)) << "4 MiB at an H100's bandwidth";
  EXPECT_LT(milliseconds, 1);
  EXPECT_CUDA(cudaSetDevice(1));
  const cudaEvent_t other = new_event(cudaEventDefault);
  EXPECT_CUDA(cudaEventRecord(other, nullptr));
  EXPECT_CUDA(cudaEventSynchronize(other));
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, other), cudaErrorInvalidResourceHandle);
}

}  // namespace
}  // namespace simulated::events_test
