#include "simulated/machine/machine.h"

#include <utility>

// CUDA C++ Programming Guide, "Creating a Graph Using Stream Capture": forks, joins, prohibited and unhandled
// operations, invalidation. CUDA Runtime API, cudaThreadExchangeStreamCaptureMode: which thread may do what meanwhile.

namespace simulated {

cudaError_t Machine::invalidate(Capture& capture, cudaError_t error) {
  if (!capture.valid) return cudaErrorStreamCaptureInvalidated;
  capture.valid = false;
  return error;
}

cudaError_t Machine::refuse_captured(const CUstream_st& stream) {
  if (stream.capture) return invalidate(*stream.capture, cudaErrorStreamCaptureUnsupported);
  cudaError_t result = cudaSuccess;
  if (stream.is_legacy)
    visit_streams(stream.device, [&](CUstream_st& other) {
      if (other.is_blocking && other.capture) result = invalidate(*other.capture, cudaErrorStreamCaptureImplicit);
    });
  return result;
}

cudaError_t Machine::refuse_captured_device(int device) {
  cudaError_t result = cudaSuccess;
  visit_streams(device, [&](CUstream_st& stream) {
    if (stream.capture) result = invalidate(*stream.capture, cudaErrorStreamCaptureUnsupported);
  });
  return result;
}

bool Machine::has_captured_blocking_stream(int device) {
  bool result = false;
  visit_streams(device, [&](const CUstream_st& stream) { result |= stream.is_blocking && stream.capture; });
  return result;
}

cudaError_t Machine::refuse_unsafe(cudaStreamCaptureMode mode) {
  cudaError_t result = cudaSuccess;
  if (mode == cudaStreamCaptureModeRelaxed) return result;
  for (const auto& capture : captures_) {
    const bool is_mine = capture->thread == std::this_thread::get_id();
    const bool forbids = is_mine ? capture->mode != cudaStreamCaptureModeRelaxed
                                 : mode == cudaStreamCaptureModeGlobal && capture->mode == cudaStreamCaptureModeGlobal;
    if (forbids) result = invalidate(*capture, cudaErrorStreamCaptureUnsupported);
  }
  return result;
}

/// A stream that waits for a captured event joins that capture.
cudaError_t Machine::wait_captured(CUstream_st& stream, const CUevent_st& event) {
  if (!event.capture) {  // nothing, or work from outside, which may not become a dependency of the graph
    if (!event.recorded) return cudaSuccess;
    return invalidate(*stream.capture, cudaErrorStreamCaptureIsolation);
  }
  Capture& capture = *event.capture;
  if (capture.ended) return cudaErrorCapturedEvent;
  if (!capture.valid) return cudaErrorStreamCaptureInvalidated;
  if (stream.capture && stream.capture != event.capture) {
    stream.capture->valid = false;
    return invalidate(capture, cudaErrorStreamCaptureMerge);
  }
  if (stream.is_legacy) return invalidate(capture, cudaErrorStreamCaptureImplicit);
  if (!stream.capture) {
    stream.capture = event.capture;
    stream.capture_after.clear();
    capture.streams.insert(&stream);
  }
  stream.capture_after.insert(event.capture_after.begin(), event.capture_after.end());
  return cudaSuccess;
}

cudaError_t Machine::begin_capture(CUstream_st& stream, cudaStreamCaptureMode mode) {
  if (stream.is_legacy) return cudaErrorStreamCaptureUnsupported;
  if (stream.capture) return cudaErrorIllegalState;
  const auto capture = std::make_shared<Capture>();
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->origin = &stream;
  capture->streams = {&stream};
  captures_.insert(capture);
  stream.capture = capture;
  stream.capture_after.clear();
  return cudaSuccess;
}

namespace {

/// Whether every node precedes one of `last`.
bool is_joined(const std::vector<Node>& nodes, const std::set<std::size_t>& last) {
  std::set<std::size_t> reached;
  std::vector<std::size_t> open(last.begin(), last.end());
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    if (reached.insert(node).second) open.insert(open.end(), nodes[node].after.begin(), nodes[node].after.end());
  }
  return reached.size() == nodes.size();
}

}  // namespace

cudaError_t Machine::end_capture(CUstream_st& stream, cudaGraph_t* graph) {
  *graph = nullptr;
  const std::shared_ptr<Capture> capture = stream.capture;
  if (!capture) return cudaErrorIllegalState;
  if (capture->origin != &stream) return invalidate(*capture, cudaErrorStreamCaptureUnmatched);
  if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
    return cudaErrorStreamCaptureWrongThread;
  const std::set<std::size_t> last = stream.capture_after;
  for (CUstream_st* const joined : capture->streams) joined->capture.reset();
  captures_.erase(capture);
  capture->ended = true;
  if (!capture->valid) return cudaErrorStreamCaptureInvalidated;
  if (!is_joined(capture->nodes, last)) return cudaErrorStreamCaptureUnjoined;
  *graph = graphs.add({.nodes = std::move(capture->nodes)});
  return cudaSuccess;
}

/// "Each launch is ordered behind both any previous work in stream and any previous launches of graphExec"
/// (cudaGraphLaunch).
void Machine::launch(CUgraphExec_st& graph, CUstream_st& stream) {
  std::vector<TaskRef> after = predecessors(stream);
  after.push_back(graph.last);
  const TaskRef begin = schedule.add({.name = "the start of a graph", .device = stream.device}, after, now);
  std::vector<TaskRef> tasks;
  ++launches;
  for (const Node& node : graph.nodes) {
    std::vector<TaskRef> earlier{begin};
    for (const std::size_t index : node.after) earlier.push_back(tasks[index]);
    Work work = node.work;
    work.launch = launches;
    tasks.push_back(schedule.add(std::move(work), earlier, now));
    record(stream, tasks.back());
  }
  tasks.push_back(begin);
  stream.last = schedule.add({.name = "the end of a graph", .device = stream.device}, tasks, now);
  graph.last = stream.last;
}

}  // namespace simulated
