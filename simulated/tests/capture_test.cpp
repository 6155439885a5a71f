#include "simulated/tests/simulated.h"

#include <functional>
#include <thread>
#include <utility>

namespace simulated::capture_test {
namespace {

// CUDA C++ Programming Guide, "Creating a Graph Using Stream Capture", and its sections "Cross-stream Dependencies and
// Events", "Prohibited and Unhandled Operations" and "Invalidation"; Runtime API, cudaThreadExchangeStreamCaptureMode.

class SimulatedCapture : public Simulated {
 protected:
  void SetUp() override {
    Simulated::SetUp();
    x_ = device_ints(4);
    stream_ = new_stream();
    other_ = new_stream();
    event_ = new_event();
    early_ = new_event();
    EXPECT_CUDA(cudaEventRecord(early_, other_));
  }
  void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal) {
    EXPECT_CUDA(cudaStreamBeginCapture(stream_, mode));
  }
  /// Returns what cudaStreamEndCapture does.
  cudaError_t end() {
    cudaGraph_t graph = nullptr;
    const cudaError_t status = cudaStreamEndCapture(stream_, &graph);
    EXPECT_EQ(status == cudaSuccess, graph != nullptr);
    return status;
  }
  void fork() {
    EXPECT_CUDA(cudaEventRecord(event_, stream_));
    EXPECT_CUDA(cudaStreamWaitEvent(other_, event_));
  }
  cudaStreamCaptureStatus status(cudaStream_t stream) {
    cudaStreamCaptureStatus result{};
    EXPECT_CUDA(cudaStreamIsCapturing(stream, &result));
    return result;
  }

  int* x_ = nullptr;
  cudaStream_t stream_ = nullptr, other_ = nullptr;
  cudaEvent_t event_ = nullptr, early_ = nullptr;
};

TEST_F(SimulatedCapture, RecordsInsteadOfRunning) {
  EXPECT_CUDA(cudaMemset(x_, 0, 4));
  begin();
  EXPECT_EQ(status(stream_), cudaStreamCaptureStatusActive);
  EXPECT_CUDA(launch(stream_, store_kernel, x_, 7));
  EXPECT_EQ(end(), cudaSuccess);
  EXPECT_EQ(status(stream_), cudaStreamCaptureStatusNone);
  EXPECT_EQ(value_of(x_), 0);
}

TEST_F(SimulatedCapture, AForkThatIsJoinedIsPartOfTheGraph) {
  begin();
  fork();
  EXPECT_EQ(status(other_), cudaStreamCaptureStatusActive);
  EXPECT_CUDA(launch(other_, store_kernel, x_, 7));
  EXPECT_CUDA(cudaEventRecord(event_, other_));
  EXPECT_CUDA(cudaStreamWaitEvent(stream_, event_));
  EXPECT_EQ(end(), cudaSuccess);
  EXPECT_EQ(status(other_), cudaStreamCaptureStatusNone);
}

TEST_F(SimulatedCapture, AForkThatIsNotJoinedIsAnError) {
  begin();
  fork();
  EXPECT_CUDA(launch(other_, store_kernel, x_, 7));
  EXPECT_EQ(end(), cudaErrorStreamCaptureUnjoined);
}

TEST_F(SimulatedCapture, WaitingForWorkFromOutsideIsAnError) {
  begin();
  EXPECT_EQ(cudaStreamWaitEvent(stream_, early_), cudaErrorStreamCaptureIsolation);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
}

TEST_F(SimulatedCapture, TwoCapturesDoNotMerge) {
  begin();
  EXPECT_CUDA(cudaStreamBeginCapture(other_, cudaStreamCaptureModeThreadLocal));
  EXPECT_CUDA(cudaEventRecord(event_, other_));
  EXPECT_EQ(cudaStreamWaitEvent(stream_, event_), cudaErrorStreamCaptureMerge);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(other_, &graph), cudaErrorStreamCaptureInvalidated);
}

TEST_F(SimulatedCapture, MayNotBeWaitedForOrQueried) {
  const std::pair<const char*, std::function<cudaError_t()>> calls[] = {
      {"cudaStreamSynchronize", [&] { return cudaStreamSynchronize(stream_); }},
      {"cudaStreamQuery", [&] { return cudaStreamQuery(stream_); }},
      {"cudaDeviceSynchronize", [] { return cudaDeviceSynchronize(); }},
  };
  for (const auto& [name, call] : calls) {
    begin(cudaStreamCaptureModeRelaxed);
    EXPECT_EQ(call(), cudaErrorStreamCaptureUnsupported) << name;
    EXPECT_EQ(status(stream_), cudaStreamCaptureStatusInvalidated) << name;
    EXPECT_EQ(launch(stream_, store_kernel, x_, 7), cudaErrorStreamCaptureInvalidated) << name;
    EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated) << name;
  }
}

// Runtime API, cudaErrorCapturedEvent; "even relaxed mode" prohibits it, on any thread.
TEST_F(SimulatedCapture, ItsEventsMayNotBeQueriedByAnyThread) {
  begin(cudaStreamCaptureModeRelaxed);
  EXPECT_CUDA(cudaEventRecord(event_, stream_));
  cudaError_t seen = cudaSuccess;
  std::thread([&] { seen = cudaEventQuery(event_); }).join();
  EXPECT_EQ(seen, cudaErrorCapturedEvent);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaEventSynchronize(event_), cudaErrorCapturedEvent) << "also after the capture";
  EXPECT_CUDA(cudaEventRecord(event_, stream_));
  EXPECT_CUDA(cudaEventSynchronize(event_));
}

cudaError_t allocate() {
  void* unused = nullptr;
  return cudaMalloc(&unused, 4);
}

TEST_F(SimulatedCapture, UnsafeCallsOfItsThreadBreakIt) {
  void* pinned = nullptr;
  const std::pair<const char*, std::function<cudaError_t()>> calls[] = {
      {"cudaMalloc", allocate},
      {"cudaFree", [&] { return cudaFree(x_); }},
      {"cudaHostAlloc", [&] { return cudaHostAlloc(&pinned, 4, cudaHostAllocPortable); }},
      {"cudaEventQuery", [&] { return cudaEventQuery(early_); }},
  };
  for (const auto& [name, call] : calls)
    for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal}) {
      begin(mode);
      EXPECT_EQ(call(), cudaErrorStreamCaptureUnsupported) << name;
      EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated) << name;
    }
  begin(cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(allocate(), cudaSuccess);
  EXPECT_EQ(end(), cudaSuccess);
}

TEST_F(SimulatedCapture, OnlyAGlobalOneBindsOtherThreads) {
  const auto from_another_thread = [](cudaStreamCaptureMode mode) {
    cudaError_t status = cudaSuccess;
    std::thread([&] {
      EXPECT_CUDA(cudaThreadExchangeStreamCaptureMode(&mode));
      EXPECT_EQ(mode, cudaStreamCaptureModeGlobal) << "the default";
      status = allocate();
    }).join();
    return status;
  };
  begin(cudaStreamCaptureModeThreadLocal);
  EXPECT_EQ(from_another_thread(cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(end(), cudaSuccess);
  begin(cudaStreamCaptureModeGlobal);
  EXPECT_EQ(from_another_thread(cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_EQ(from_another_thread(cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
}

TEST_F(SimulatedCapture, ARelaxedThreadMayAllocate) {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  begin();
  EXPECT_CUDA(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(allocate(), cudaSuccess);
  EXPECT_CUDA(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(end(), cudaSuccess);
}

// "It is also invalid to call synchronous APIs" and to use the legacy stream, while a blocking stream is captured.
TEST_F(SimulatedCapture, OfABlockingStreamForbidsTheLegacyStream) {
  stream_ = new_stream(cudaStreamDefault);
  begin();
  cudaStreamCaptureStatus unused{};
  EXPECT_EQ(cudaStreamIsCapturing(nullptr, &unused), cudaErrorStreamCaptureImplicit);
  EXPECT_EQ(status(stream_), cudaStreamCaptureStatusActive) << "asking does not invalidate";
  EXPECT_EQ(launch(nullptr, store_kernel, x_, 7), cudaErrorStreamCaptureImplicit);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  begin();
  EXPECT_EQ(cudaMemset(x_, 0, 4), cudaErrorStreamCaptureImplicit);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  stream_ = new_stream();
  begin();
  EXPECT_CUDA(launch(nullptr, store_kernel, x_, 7));
  EXPECT_EQ(end(), cudaSuccess);
}

TEST_F(SimulatedCapture, BeginsOnceAndNotOnTheLegacyStream) {
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(end(), cudaErrorIllegalState);
  begin();
  EXPECT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
  EXPECT_EQ(end(), cudaSuccess);
}

TEST_F(SimulatedCapture, EndsWhereItBegan) {
  begin();
  fork();
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(other_, &graph), cudaErrorStreamCaptureUnmatched);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  begin();
  cudaError_t seen = cudaSuccess;
  std::thread([&] { seen = cudaStreamEndCapture(stream_, &graph); }).join();
  EXPECT_EQ(seen, cudaErrorStreamCaptureWrongThread);
  EXPECT_EQ(end(), cudaSuccess);
}

// Another stream that the thread launches to meanwhile is not captured: its work runs, and the graph is empty.
TEST_F(SimulatedCapture, LeavesOtherStreamsAlone) {
  EXPECT_CUDA(cudaSetDevice(1));
  int* const of_second = device_ints(1);
  EXPECT_CUDA(cudaSetDevice(0));
  begin();
  EXPECT_CUDA(cudaSetDevice(1));
  EXPECT_CUDA(launch(nullptr, store_kernel, of_second, 7));
  EXPECT_EQ(value_of(of_second), 7);
  EXPECT_CUDA(cudaSetDevice(0));
  EXPECT_EQ(end(), cudaSuccess);
}

}  // namespace
}  // namespace simulated::capture_test
