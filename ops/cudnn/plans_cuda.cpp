#include <minima/ops/cudnn/plans.h>

#include <minima/ops/creation/creation.h>
#include <minima/ops/cudnn/recent.h>
#include <minima/ops/cudnn/settings.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/storage/allocator.h>

#include <algorithm>
#include <limits>
#include <mutex>

namespace minima::detail {

namespace {

constexpr std::size_t kept_plans = 1024;

/// The plan chosen for a graph; null graph: cuDNN cannot compute it.
struct Chosen {
  std::unique_ptr<CudnnGraph> graph;
  int plan = -1;
  bool timed = false;
};

/// One GPU's plans. Never destroyed.
struct Plans {
  std::mutex mutex;
  Recent<GraphKey, Chosen> by_key{kept_plans};
};

Plans& plans_of(int device) {
  static Plans* const all = new Plans[max_devices];
  return all[device];
}

Tensor memory(std::size_t bytes, Device device) {
  const PurposeGuard purpose(Purpose::temporaries);
  return empty({static_cast<std::int64_t>(bytes)}, {.dtype = DType::uint8, .device = device});
}

void run(const Chosen& chosen, Device device, const std::vector<void*>& addresses) {
  const std::size_t bytes = chosen.graph->workspace_bytes(chosen.plan);
  const Tensor workspace = bytes > 0 ? memory(bytes, device) : Tensor();
  chosen.graph->run(chosen.plan, addresses, workspace.defined() ? workspace.raw_data() : nullptr);
}

bool is_captured(Device device) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  MINIMA_CUDA_CHECK(cudaStreamIsCapturing(current_stream_state(device.index)->handle, &status));
  return status != cudaStreamCaptureStatusNone;
}

constexpr float never = std::numeric_limits<float>::infinity();

/// Milliseconds of the fastest of three runs after a warm-up run; `never` if the plan fails.
float time_of(const Chosen& candidate, Device device, const std::vector<void*>& addresses) try {
  run(candidate, device, addresses);
  float best = never;
  for (int i = 0; i < 3; ++i) {
    Event start(true), end(true);
    start.record(current_stream(device));
    run(candidate, device, addresses);
    end.record(current_stream(device));
    best = std::min(best, end.since(start));
  }
  return best;
} catch (const Error&) {
  cuda::throw_if_broken();
  return never;
}

/// The first plan that cuDNN can build, or the fastest of ten.
void choose_plan(Chosen& chosen, bool timed, Device device, const std::vector<void*>& addresses) {
  constexpr int most_candidates = 10;
  float best = never;
  int tried = 0, choice = -1;
  for (int i = 0; i < chosen.graph->plans() && tried < (timed ? most_candidates : 1); ++i) {
    if (!chosen.graph->prepare(i)) continue;
    ++tried;
    chosen.plan = i;
    const float time = timed ? time_of(chosen, device, addresses) : 0;
    if (time >= best) continue;
    best = time;
    choice = i;
  }
  chosen.plan = choice;
  chosen.timed = timed;
  if (choice < 0) chosen.graph.reset();
}

template <class G>
bool run_by_plan(const G& graph, std::size_t workspace_limit, bool timed, Device device,
                 const std::vector<void*>& addresses) {
  const DeviceGuard guard(device);
  Plans& plans = plans_of(device.index);
  GraphKey key = key_of(graph);
  key.push_back(static_cast<std::int64_t>(workspace_limit));
  const std::lock_guard lock(plans.mutex);
  Chosen* chosen = plans.by_key.find(key);
  if (!chosen || (chosen->graph && timed && !chosen->timed && !is_captured(device))) {
    Chosen fresh;
    std::string why;
    fresh.graph = build_graph(graph, {}, workspace_limit, why);
    if (fresh.graph) choose_plan(fresh, timed && !is_captured(device), device, addresses);
    if (!chosen) count_graph(fresh.graph != nullptr, why.empty() ? "cuDNN could build none of its plans" : why);
    if (plans.by_key.is_full()) synchronize(device);  // the evicted plan may still be running
    chosen = &plans.by_key.put(key, std::move(fresh));
  }
  if (!chosen->graph) return false;
  run(*chosen, device, addresses);
  return true;
}

}  // namespace

bool run_graph(const ConvGraph& graph, Device device, const std::vector<void*>& addresses) {
  return run_by_plan(graph, cudnn::workspace_limit(), cudnn::is_benchmark(), device, addresses);
}

bool run_graph(const AttentionGraph& graph, Device device, const std::vector<void*>& addresses) {
  // The deterministic backward pass needs workspace quadratic in the length; the allocator is the limit.
  return run_by_plan(graph, std::numeric_limits<std::int64_t>::max(), false, device, addresses);
}

}  // namespace minima::detail
