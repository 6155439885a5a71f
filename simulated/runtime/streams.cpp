#include "simulated/runtime/call.h"

#include <cuda_runtime_api.h>

using namespace simulated;

namespace {

bool is_done(const std::vector<TaskRef>& tasks) {
  for (const TaskRef& task : tasks)
    if (task && !task->done) return false;
  return true;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int) {
  return runtime_call("cudaStreamCreateWithPriority", Reach::context, [&](const Call& call) {
    if (flags != cudaStreamDefault && flags != cudaStreamNonBlocking) return cudaErrorInvalidValue;
    *stream = call.machine.streams.add({.device = call.thread.device, .is_blocking = flags == cudaStreamDefault});
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return runtime_call("cudaStreamCreateWithFlags", Reach::context, [&](const Call& call) {
    if (flags != cudaStreamDefault && flags != cudaStreamNonBlocking) return cudaErrorInvalidValue;
    *stream = call.machine.streams.add({.device = call.thread.device, .is_blocking = flags == cudaStreamDefault});
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return runtime_call("cudaStreamDestroy", Reach::context, [&](const Call& call) {
    if (!call.machine.streams.has(stream)) return cudaErrorInvalidResourceHandle;
    if (stream->capture) {
      const cudaError_t error = call.machine.invalidate(*stream->capture, cudaErrorStreamCaptureUnsupported);
      stream->capture->streams.erase(stream);
      if (stream->capture->origin == stream) return error;
    }
    call.machine.streams.erase(stream);  // its work continues
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return runtime_call("cudaStreamSynchronize", Reach::context, [&](const Call& call) {
    CUstream_st* const stream = call.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = call.machine.refuse_captured(*stream); error != cudaSuccess) return error;
    for (const TaskRef& task : call.machine.newest(*stream)) call.machine.finish(task);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return runtime_call("cudaStreamQuery", Reach::context, [&](const Call& call) {
    CUstream_st* const stream = call.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = call.machine.refuse_captured(*stream); error != cudaSuccess) return error;
    call.machine.schedule.nudge();
    call.machine.collect_fault();
    return is_done(call.machine.newest(*stream)) ? cudaSuccess : cudaErrorNotReady;
  });
}

/// "event may be from a different device than stream"; later records of the event do not matter.
cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned int flags) {
  return runtime_call("cudaStreamWaitEvent", Reach::context, [&](const Call& call) {
    CUstream_st* const stream = call.stream(handle);
    if (!stream || !call.machine.events.has(event)) return cudaErrorInvalidResourceHandle;
    if (flags != cudaEventWaitDefault) return cudaErrorInvalidValue;
    if (stream->capture && !stream->capture->valid) return cudaErrorStreamCaptureInvalidated;
    if (stream->capture || event->capture) return call.machine.wait_captured(*stream, *event);
    if (event->recorded) return call.machine.wait(*stream, event->recorded);
    return cudaSuccess;
  });
}

}  // extern "C"
