#pragma once

#include "simulated/machine/machine.h"
#include "simulated/simulation.h"

#include <driver_types.h>

#include <cstdint>
#include <map>

// All calls of the runtime have these in common: counting, planned failures, the errors that end all work, the last
// error of the thread, contexts, and what captures prohibit.

namespace simulated {

/// The runtime keeps this for each host thread.
struct ThreadState {
  std::uint64_t generation = 0;  ///< of the machine that it belongs to
  int device = 0;
  bool has_context = false;  ///< a call of the runtime has made one current
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  RuntimeId runtime = main_runtime;
  std::map<RuntimeId, cudaError_t> last_errors;
};
ThreadState& thread_state();

enum class Reach {
  process,  ///< only asks: needs no context, and answers after errors
  context,  ///< uses the current device, whose context it creates
  unsafe    ///< the same, and "potentially unsafe" in captures
};

struct Call {
  Machine& machine;
  ThreadState& thread;

  CUstream_st* stream(cudaStream_t handle) const { return machine.stream(handle, thread.device); }
  Gpu& gpu() const { return machine.gpus[static_cast<std::size_t>(thread.device)]; }
};

/// A planned failure that ends all work does so.
void apply_planned(Machine& machine, cudaError_t status);
/// Returns what the call is to return at once; cudaSuccess lets it proceed. Called with the machine's lock held.
cudaError_t enter(const Call& call, const char* function, Reach reach);
/// Keeps `status` as the thread's last error and returns it, or an error of work that ran meanwhile.
cudaError_t leave(const Call& call, Reach reach, cudaError_t status);
/// Ends the program where a kernel calls CUDA.
void expect_host(const char* function);

/// A function of the runtime: body(Call) says what it returns.
template <class Body> cudaError_t runtime_call(const char* function, Reach reach, const Body& body) noexcept {
  expect_host(function);
  Machine& machine = simulated::machine();
  const InCall in_call(machine);
  const Call call{machine, thread_state()};
  const cudaError_t refused = enter(call, function, reach);
  return leave(call, reach, refused != cudaSuccess ? refused : body(call));
}

}  // namespace simulated
