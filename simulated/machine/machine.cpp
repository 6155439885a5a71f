#include "simulated/machine/machine.h"

#include "simulated/machine/memory_faults.h"
#include "simulated/machine/time_model.h"
#include "simulated/simulation.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace simulated {

namespace {

/// A context takes about this much of a GPU's memory; NVIDIA documents no number.
constexpr std::size_t context_bytes = std::size_t{512} << 20;

std::vector<std::size_t> capacities(const std::vector<GpuKind>& kinds) {
  std::vector<std::size_t> bytes;
  for (const GpuKind& kind : kinds) bytes.push_back(kind.memory);
  return bytes;
}

std::string from_environment(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value && *value ? value : otherwise;
}

std::unique_ptr<Machine> described_machine() try {
  const std::string seed = from_environment("MINIMA_SIMULATED_SEED", "1");
  return std::make_unique<Machine>(from_environment("MINIMA_SIMULATED_GPUS", "1xH100"), std::stoull(seed),
                                   FailurePlan(from_environment("MINIMA_SIMULATED_FAILURES", "")));
} catch (const std::logic_error& error) {
  std::fprintf(stderr, "simulated GPU: %s\n", error.what());
  std::exit(2);
}

std::mutex making;
std::uint64_t generations = 0;

/// Never destroyed, since calls may come while static objects are being destroyed.
std::unique_ptr<Machine>& current() {
  static auto* const machine = new std::unique_ptr<Machine>;
  return *machine;
}

}  // namespace

Machine::Machine(const std::string& description, std::uint64_t seed, FailurePlan failures)
    : memory(capacities(parse_gpus(description))), schedule(seed, mutex), plan(std::move(failures)) {
  for (const GpuKind& kind : parse_gpus(description)) {
    const int device = static_cast<int>(gpus.size());
    gpus.push_back({.kind = kind, .has_context = false, .default_stream = {.device = device, .is_legacy = true}});
  }
  generation = ++generations;
  if (from_environment("MINIMA_SIMULATED_STRICT_HOST", "0") != "0") memory.guard_against_host();
  if (from_environment("MINIMA_SIMULATED_DRY", "0") != "0") {
    schedule.set_dry(true);
    memory.set_filling(false);
  }
}

Machine& machine() {
  const std::lock_guard lock(making);
  if (!current()) {
    current() = described_machine();
    explain_memory_faults();
  }
  return *current();
}

void restart(const std::string& gpus, std::uint64_t seed) {
  auto next = std::make_unique<Machine>(gpus, seed, FailurePlan());
  const std::lock_guard lock(making);
  current() = std::move(next);
  explain_memory_faults();
}

bool Machine::make_context(int device) {
  Gpu& gpu = gpus[static_cast<std::size_t>(device)];
  if (gpu.has_context) return true;
  return gpu.has_context = memory.charge(device, context_bytes);
}

CUstream_st* Machine::stream(cudaStream_t handle, int current) {
  if (!handle || handle == cudaStreamLegacy) return &gpus[static_cast<std::size_t>(current)].default_stream;
  return streams.has(handle) ? handle : nullptr;
}

/// In-stream order, and the turns that the legacy stream and the device's blocking streams take (CUDA C++ Programming
/// Guide, "Default Stream"; CUDA Runtime API, "Stream synchronization behavior").
std::vector<TaskRef> Machine::predecessors(CUstream_st& stream) {
  std::vector<TaskRef> after{stream.last};
  if (stream.is_legacy)
    visit_streams(stream.device, [&](CUstream_st& other) {
      if (other.is_blocking) after.push_back(other.last);
    });
  else if (stream.is_blocking) after.push_back(gpus[static_cast<std::size_t>(stream.device)].default_stream.last);
  return after;
}

void Machine::price(Work& work, bool in_graph) const {
  work.label = label();
  if (work.cost.kind == WorkKind::mark) return;
  const GpuKind& kind = gpus[static_cast<std::size_t>(work.device)].kind;
  const auto planned = planned_seconds.find(work.cost.plan);
  work.seconds = planned != planned_seconds.end() ? planned->second : seconds_of(kind, work.cost);
  work.gap = in_graph ? kind.graph_gap : kind.kernel_gap;
}

void Machine::admit(Work& work) {
  if (!memory.is_guarded()) return;
  if (work.run)
    work.run = [this, run = std::move(work.run)] {
      const Memory::Visit visit(memory);
      run();
    };
  if (work.begin)
    work.begin = [this, begin = std::move(work.begin)](const TaskRef& task) {
      const Memory::Visit visit(memory);
      begin(task);
    };
}

cudaError_t Machine::submit(CUstream_st& stream, Work work) {
  admit(work);
  price(work, stream.capture != nullptr);
  if (stream.capture) {
    Capture& capture = *stream.capture;
    if (!capture.valid) return cudaErrorStreamCaptureInvalidated;
    work.node = ++nodes;
    if (work.cost.kind != WorkKind::mark)
      for (Recorder* const recorder : recorders) recorder->captured(work.node);
    capture.nodes.push_back({std::move(work), stream.capture_after});
    stream.capture_after = {capture.nodes.size() - 1};
    return cudaSuccess;
  }
  if (stream.is_legacy)
    if (const cudaError_t error = refuse_captured(stream); error != cudaSuccess) return error;
  stream.last = schedule.add(std::move(work), predecessors(stream), now);
  record(stream, stream.last);
  return cudaSuccess;
}

cudaError_t Machine::wait(CUstream_st& stream, const TaskRef& task) {
  if (const cudaError_t error = refuse_captured(stream); error != cudaSuccess) return error;
  std::vector<TaskRef> after = predecessors(stream);
  after.push_back(task);
  stream.last = schedule.add({.name = "cudaStreamWaitEvent", .device = stream.device}, after, now);
  return cudaSuccess;
}

void Machine::finish(const TaskRef& task) {
  schedule.finish(task);
  if (task) now = std::max(now, task->end);
  collect_fault();
}

void Machine::finish_device(int device) {
  schedule.finish_device(device);
  visit_streams(device, [&](const CUstream_st& stream) {
    if (stream.last) now = std::max(now, stream.last->end);
  });
  collect_fault();
}

void Machine::collect_fault() {
  if (const cudaError_t fault = schedule.take_fault(); fault != cudaSuccess && sticky == cudaSuccess) sticky = fault;
}

}  // namespace simulated
