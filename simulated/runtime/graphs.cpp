#include "simulated/machine/report.h"
#include "simulated/runtime/call.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <utility>
#include <vector>

using namespace simulated;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return runtime_call("cudaStreamBeginCapture", Reach::context, [&](const Call& call) {
    CUstream_st* const stream = call.stream(handle);
    return stream ? call.machine.begin_capture(*stream, mode) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return runtime_call("cudaStreamEndCapture", Reach::context, [&](const Call& call) {
    CUstream_st* const stream = call.stream(handle);
    return stream ? call.machine.end_capture(*stream, graph) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return runtime_call("cudaStreamIsCapturing", Reach::context, [&](const Call& call) {
    CUstream_st* const stream = call.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (stream->is_legacy && call.machine.has_captured_blocking_stream(stream->device))
      return cudaErrorStreamCaptureImplicit;
    *status = !stream->capture         ? cudaStreamCaptureStatusNone
              : stream->capture->valid ? cudaStreamCaptureStatusActive
                                       : cudaStreamCaptureStatusInvalidated;
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return runtime_call("cudaThreadExchangeStreamCaptureMode", Reach::process, [&](const Call& call) {
    std::swap(*mode, call.thread.mode);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  return runtime_call("cudaGraphInstantiate", Reach::context, [&](const Call& call) {
    if (!call.machine.graphs.has(graph)) return cudaErrorInvalidValue;
    if (flags != 0) not_modelled("cudaGraphInstantiate with flags " + std::to_string(flags));
    std::vector<Node> nodes = graph->nodes;
    for (Node& node : nodes) {
      const std::uint64_t original = std::exchange(node.work.node, ++call.machine.nodes);
      for (Recorder* const recorder : call.machine.recorders) recorder->copied(original, node.work.node);
    }
    *executable = call.machine.executables.add({.nodes = std::move(nodes)});
    return cudaSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t handle) {
  return runtime_call("cudaGraphLaunch", Reach::context, [&](const Call& call) {
    CUstream_st* const stream = call.stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (!call.machine.executables.has(executable)) return cudaErrorInvalidValue;
    if (stream->capture) not_modelled("cudaGraphLaunch in a stream that is being captured");
    if (const cudaError_t error = call.machine.refuse_captured(*stream); error != cudaSuccess) return error;
    call.machine.launch(*executable, *stream);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return runtime_call("cudaGraphDestroy", Reach::context, [&](const Call& call) {
    return call.machine.graphs.erase(graph) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

/// The documentation does not say that a running graph may be destroyed.
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return runtime_call("cudaGraphExecDestroy", Reach::context, [&](const Call& call) {
    if (!call.machine.executables.has(executable)) return cudaErrorInvalidValue;
    if (executable->last && !executable->last->done) report("cudaGraphExecDestroy: a launch of the graph is pending");
    call.machine.executables.erase(executable);
    return cudaSuccess;
  });
}

}  // extern "C"
