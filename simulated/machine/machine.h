#pragma once

#include "simulated/failure_plan.h"
#include "simulated/machine/gpu_kind.h"
#include "simulated/machine/handles.h"
#include "simulated/machine/memory.h"
#include "simulated/machine/recorder.h"
#include "simulated/machine/schedule.h"
#include "simulated/simulation.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simulated {

struct Gpu {
  GpuKind kind;
  bool has_context = false;
  CUstream_st default_stream;
};

/// Owns the objects behind handles, in the order in which they were made, and knows which handles are valid.
template <class T> class Handles {
 public:
  T* add(T value) {
    all_.push_back(std::move(value));
    places_[&all_.back()] = std::prev(all_.end());
    return &all_.back();
  }
  bool has(const T* handle) const { return places_.count(handle) > 0; }
  bool erase(const T* handle) {
    const auto place = places_.find(handle);
    if (place == places_.end()) return false;
    all_.erase(place->second);
    places_.erase(place);
    return true;
  }
  std::size_t size() const { return all_.size(); }
  auto begin() { return all_.begin(); }
  auto end() { return all_.end(); }

 private:
  std::list<T> all_;
  std::unordered_map<const T*, typename std::list<T>::iterator> places_;
};

/// The GPUs of this process and all that CUDA knows of them. One thread at a time, under `mutex`.
class Machine {
 public:
  Machine(const std::string& gpus, std::uint64_t seed, FailurePlan plan);

  /// Creates the device's primary context if need be; false if its memory is full.
  bool make_context(int device);
  /// The stream behind a handle, where null is the default stream of `current`; null if the handle is not valid.
  CUstream_st* stream(cudaStream_t handle, int current);

  /// Submits work to a stream, or records it where the stream is being captured.
  cudaError_t submit(CUstream_st& stream, Work work);
  /// Makes later work of the stream wait for the task, too.
  cudaError_t wait(CUstream_st& stream, const TaskRef& task);
  /// All work that synchronising with the stream waits for.
  std::vector<TaskRef> newest(CUstream_st& stream) { return predecessors(stream); }
  /// Runs work until the task is done, and moves the host's clock there.
  void finish(const TaskRef& task);
  /// The same for all work of a device.
  void finish_device(int device);

  /// An error that ends all work, until the process ends. Fills `sticky` if running work has failed.
  void collect_fault();

  // --- capture.cpp ---

  /// Ends what the capture can become: a broken rule.
  cudaError_t invalidate(Capture& capture, cudaError_t error);
  /// Why the stream may not be queried or synchronised: it, or for a legacy stream a blocking one, is being captured.
  cudaError_t refuse_captured(const CUstream_st& stream);
  /// The same for all streams of a device.
  cudaError_t refuse_captured_device(int device);
  bool has_captured_blocking_stream(int device);
  /// Why this thread may not make a potentially unsafe call, by its mode and the captures under way.
  cudaError_t refuse_unsafe(cudaStreamCaptureMode mode);
  cudaError_t wait_captured(CUstream_st& stream, const CUevent_st& event);
  cudaError_t begin_capture(CUstream_st& stream, cudaStreamCaptureMode mode);
  cudaError_t end_capture(CUstream_st& stream, cudaGraph_t* graph);
  void launch(CUgraphExec_st& graph, CUstream_st& stream);

  std::mutex mutex;
  std::uint64_t generation = 0;  ///< differs for each machine of the process
  std::deque<Gpu> gpus;
  Memory memory;
  Schedule schedule;
  FailurePlan plan;
  cudaError_t sticky = cudaSuccess;
  cudaError_t next_kernel_fault = cudaSuccess;
  double now = 0;                                 ///< seconds on the host's clock
  double seconds_in_calls = 0;                    ///< by a real clock: what standing in for a GPU took
  std::map<std::string, double> planned_seconds;  ///< of work, by its plan
  HostCosts costs;
  std::vector<Recorder*> recorders;       ///< hear of all work and calls
  std::uint64_t nodes = 0, launches = 0;  ///< of graphs, so far
  DryValues dry_values;                   ///< what copies to the host read in a dry run
  Handles<CUstream_st> streams;
  Handles<CUevent_st> events;
  Handles<CUgraph_st> graphs;
  Handles<CUgraphExec_st> executables;
  std::set<std::pair<int, const void*>> loaded_kernels;              ///< by device
  std::map<std::pair<int, const void*>, std::size_t> shared_limits;  ///< raised ones, by device and kernel

 private:
  /// Calls visit(stream) for the streams of a device.
  template <class Visit> void visit_streams(int device, const Visit& visit);
  std::vector<TaskRef> predecessors(CUstream_st& stream);
  /// Lets the work touch the GPUs' memory.
  void admit(Work& work);
  /// Labels the work and predicts how long it takes.
  void price(Work& work, bool in_graph) const;
  void record(const CUstream_st& stream, const TaskRef& task) const {
    for (Recorder* const recorder : recorders) recorder->submitted(stream, task);
  }

  std::set<std::shared_ptr<Capture>> captures_;  ///< under way
};

template <class Visit> void Machine::visit_streams(int device, const Visit& visit) {
  visit(gpus[static_cast<std::size_t>(device)].default_stream);
  for (CUstream_st& stream : streams)
    if (stream.device == device) visit(stream);
}

/// Holds the machine for a call, and adds to `seconds_in_calls`.
class InCall {
 public:
  explicit InCall(Machine& machine) : machine_(machine), lock_(machine.mutex) {}
  ~InCall() { machine_.seconds_in_calls += std::chrono::duration<double>(Clock::now() - begin_).count(); }
  InCall(const InCall&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
  Machine& machine_;
  std::lock_guard<std::mutex> lock_;
};

/// The process's machine: as MINIMA_SIMULATED_GPUS, _SEED and _FAILURES describe it, unless a test restarted it.
Machine& machine();

}  // namespace simulated
