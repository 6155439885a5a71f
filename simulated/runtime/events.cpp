#include "simulated/runtime/call.h"

#include <cuda_runtime_api.h>

using namespace simulated;

namespace {

/// "The operation is not permitted on an event which was last recorded in a capturing stream."
cudaError_t refuse_captured_event(const Call& call, const CUevent_st& event) {
  if (!event.capture) return cudaSuccess;
  if (!event.capture->ended) call.machine.invalidate(*event.capture, cudaErrorCapturedEvent);
  return cudaErrorCapturedEvent;
}

bool is_done(const CUevent_st& event) { return !event.recorded || event.recorded->done; }

}  // namespace

extern "C" {

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return runtime_call("cudaEventCreateWithFlags", Reach::context, [&](const Call& call) {
    if (flags & ~static_cast<unsigned>(cudaEventBlockingSync | cudaEventDisableTiming)) return cudaErrorInvalidValue;
    *event = call.machine.events.add({.device = call.thread.device,
                                      .has_timing = !(flags & cudaEventDisableTiming),
                                      .sleeps = (flags & cudaEventBlockingSync) != 0});
    return cudaSuccess;
  });
}

/// "An event may be destroyed before it is complete"; whoever waits for it keeps waiting.
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return runtime_call("cudaEventDestroy", Reach::context, [&](const Call& call) {
    return call.machine.events.erase(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

/// "cudaEventRecord() will fail if the input event and input stream are associated to different devices" (CUDA C++
/// Programming Guide, "Stream and Event Behavior").
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  return runtime_call("cudaEventRecord", Reach::context, [&](const Call& call) {
    CUstream_st* const stream = call.stream(handle);
    if (!stream || !call.machine.events.has(event)) return cudaErrorInvalidResourceHandle;
    if (event->device != stream->device) return cudaErrorInvalidResourceHandle;
    if (stream->capture) {
      if (!stream->capture->valid) return cudaErrorStreamCaptureInvalidated;
      event->recorded.reset();
      event->capture = stream->capture;
      event->capture_after = stream->capture_after;
      return cudaSuccess;
    }
    const cudaError_t status = call.machine.submit(*stream, {.name = "cudaEventRecord", .device = stream->device});
    if (status != cudaSuccess) return status;
    event->capture.reset();
    event->recorded = stream->last;
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return runtime_call("cudaEventQuery", Reach::unsafe, [&](const Call& call) {
    if (!call.machine.events.has(event)) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = refuse_captured_event(call, *event); error != cudaSuccess) return error;
    call.machine.schedule.nudge();
    call.machine.collect_fault();
    return is_done(*event) ? cudaSuccess : cudaErrorNotReady;
  });
}

/// "The calling CPU thread will block until the event has been completed" if it was created with
/// cudaEventBlockingSync; otherwise it "will busy-wait".
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return runtime_call("cudaEventSynchronize", Reach::context, [&](const Call& call) {
    if (!call.machine.events.has(event)) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = refuse_captured_event(call, *event); error != cudaSuccess) return error;
    if (!event->sleeps && !is_done(*event)) ++call.machine.costs.spinning_waits;
    call.machine.finish(event->recorded);
    return cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return runtime_call("cudaEventElapsedTime", Reach::context, [&](const Call& call) {
    if (!call.machine.events.has(start) || !call.machine.events.has(end)) return cudaErrorInvalidResourceHandle;
    if (start->device != end->device || !start->has_timing || !end->has_timing) return cudaErrorInvalidResourceHandle;
    if (!start->recorded || !end->recorded) return cudaErrorInvalidResourceHandle;
    if (!is_done(*start) || !is_done(*end)) return cudaErrorNotReady;
    *milliseconds = static_cast<float>(1e3 * (end->recorded->end - start->recorded->end));
    return cudaSuccess;
  });
}

}  // extern "C"
