#include <minima/ops/cudnn/graph.h>
#include <minima/ops/cudnn/recent.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/libraries/lazy_library.h>
#include <minima/tensor/cuda/status.h>
#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/settings.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <cuda_runtime_api.h>
#include <driver_types.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace minima::detail {

namespace {

constexpr std::size_t kept_plans = 1024;

/// The plan chosen for a graph; null graph: cuDNN cannot compute it.
struct Chosen {
  std::unique_ptr<CudnnGraph> graph;
  int plan = -1;
  bool timed = false;
  bool captured = false;  ///< by a CUDA graph, which may run it at any time
  std::mutex running;     ///< one thread submits it at a time
};
using Choice = std::shared_ptr<Chosen>;

/// One GPU's plans. Never destroyed.
struct Plans {
  std::mutex mutex;
  std::condition_variable changed;
  Recent<GraphKey, Choice> by_key{kept_plans};
  Recent<GraphKey, std::shared_ptr<KernelCache>> kernels{kept_plans};  ///< by family; null after its first graph
  std::set<GraphKey> being_chosen;  ///< by threads that do not hold the mutex meanwhile
  std::vector<Choice> captured;     ///< evicted ones
};

Plans& plans_of(int device) {
  static Plans* const all = new Plans[max_devices];
  return all[device];
}

Tensor memory(std::size_t bytes, Device device) {
  const PurposeGuard purpose(Purpose::temporaries);
  return empty({static_cast<std::int64_t>(bytes)}, {.dtype = DType::uint8, .device = device});
}

bool is_captured(Device device) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  MINIMA_CUDA_CHECK(cudaStreamIsCapturing(current_stream_state(device.index)->handle, &status));
  return status != cudaStreamCaptureStatusNone;
}

/// cuDNN has its own CUDA runtime: an error that ended all work is not in ours, but the stream knows it.
void throw_error_of_stream(Device device) {
  if (is_captured(device)) return;
  const cudaError_t status = cudaStreamQuery(current_stream_state(device.index)->handle);
  if (status != cudaErrorNotReady) cuda::check(status, "cuDNN");
}

void run(const Chosen& chosen, Device device, const std::vector<void*>& addresses) {
  const std::size_t bytes = chosen.graph->workspace_bytes(chosen.plan);
  const Tensor workspace = bytes > 0 ? memory(bytes, device) : Tensor();
  try {
    chosen.graph->run(chosen.plan, addresses, workspace.defined() ? workspace.raw_data() : nullptr);
  } catch (const Error&) {
    throw_error_of_stream(device);
    throw;
  }
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
    if (choice >= 0 && time >= best) continue;
    best = time;
    choice = i;
  }
  chosen.plan = choice;
  chosen.timed = timed;
  if (choice < 0) chosen.graph.reset();
}

/// Asks cuDNN. A machine without it, or where it cannot start, computes everything by minima's kernels.
template <class G>
Choice choose(const G& graph, std::size_t workspace_limit, bool timed, Device device,
              const std::vector<void*>& addresses, std::shared_ptr<KernelCache> kernels, std::string& why) {
  auto chosen = std::make_shared<Chosen>();
  if (!cuda::cudnn_library.is_there()) {
    why = cuda::cudnn_library.failure();
    return chosen;
  }
  try {
    chosen->graph = build_graph(graph, {}, workspace_limit, why, std::move(kernels));
  } catch (const Error& error) {
    cuda::throw_if_broken();
    why = error.what();
  }
  if (chosen->graph) choose_plan(*chosen, timed, device, addresses);
  if (!chosen->graph && why.empty()) why = "cuDNN could build none of its plans";
  return chosen;
}

/// Makes room for a new entry. Plans that may still be running, or that CUDA graphs will run, are not destroyed.
void evict(Plans& plans, Device device, bool captures) {
  const Choice* const evicted = plans.by_key.next_evicted();
  if (!evicted || !(*evicted)->graph) return;
  if ((*evicted)->captured || captures) plans.captured.push_back(*evicted);
  else synchronize(device);
}

/// Null for the first graph of a family: where shapes stay the same, kernels are compiled for just them.
std::shared_ptr<KernelCache> kernels_of(Plans& plans, const GraphKey& family) {
  std::shared_ptr<KernelCache>* const known = plans.kernels.find(family);
  if (!known) return plans.kernels.put(family, nullptr);
  if (!*known) *known = make_kernel_cache();
  return *known;
}

/// The cached choice, or a new one. Choosing takes up to seconds, so other threads go on with other graphs meanwhile.
template <class G>
Choice choice_of(const G& graph, std::size_t workspace_limit, bool timed, Device device,
                 const std::vector<void*>& addresses, bool captures) {
  Plans& plans = plans_of(device.index);
  GraphKey key = key_of(graph);
  key.push_back(static_cast<std::int64_t>(workspace_limit));
  std::unique_lock lock(plans.mutex);
  bool is_new = true;
  for (;;) {
    const Choice* const known = plans.by_key.find(key);
    if (known && (!(*known)->graph || !timed || (*known)->timed)) return *known;
    is_new = !known;
    if (plans.being_chosen.insert(key).second) break;
    plans.changed.wait(lock);
  }
  const std::shared_ptr<KernelCache> kernels = timed ? nullptr : kernels_of(plans, family_of(graph));
  lock.unlock();
  const auto finish = [&](const Choice& chosen) {
    lock.lock();
    plans.being_chosen.erase(key);
    plans.changed.notify_all();
    if (!chosen) return;
    evict(plans, device, captures);
    plans.by_key.put(key, chosen);
  };
  try {
    std::string why;
    const Choice chosen = choose(graph, workspace_limit, timed, device, addresses, kernels, why);
    if (is_new) count_graph(chosen->graph != nullptr, str(describe(graph), ": ", why));
    finish(chosen);
    return chosen;
  } catch (...) {
    finish(nullptr);
    throw;
  }
}

template <class G>
bool run_by_plan(const G& graph, std::size_t workspace_limit, bool timed, Device device,
                 const std::vector<void*>& addresses) {
  const DeviceGuard guard(device);
  const bool captures = is_captured(device);
  const Choice chosen =
      choice_of(graph, workspace_limit, timed && !captures && !is_deterministic(), device, addresses, captures);
  if (!chosen->graph) return false;
  const std::lock_guard lock(chosen->running);
  chosen->captured |= captures;
  run(*chosen, device, addresses);
  return true;
}

}  // namespace

bool run_graph(const ConvGraph& graph, Device device, const std::vector<void*>& addresses) {
  return run_by_plan(graph, cudnn::workspace_limit(), cudnn::is_benchmark(), device, addresses);
}

// The deterministic backward pass of attention needs workspace quadratic in the length; the allocator is the limit.
constexpr std::size_t no_limit = std::numeric_limits<std::int64_t>::max();

bool run_graph(const AttentionGraph& graph, Device device, const std::vector<void*>& addresses) {
  return run_by_plan(graph, no_limit, false, device, addresses);
}

bool has_plan(const AttentionGraph& graph, Device device) {
  const DeviceGuard guard(device);
  return choice_of(graph, no_limit, false, device, {}, is_captured(device))->graph != nullptr;
}

}  // namespace minima::detail
