#include "simulated/runtime/call.h"

#include "simulated/machine/report.h"
#include "simulated/machine/time_model.h"

namespace simulated {

namespace {

/// "Any further CUDA work will return the same error", or the like, in the descriptions of these (driver_types.h).
bool ends_all_work(cudaError_t status) {
  switch (status) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorMpsClientTerminated: return true;
    default: return false;
  }
}

}  // namespace

ThreadState& thread_state() {
  thread_local ThreadState state;
  const std::uint64_t generation = machine().generation;
  if (state.generation != generation) state = {.generation = generation, .runtime = state.runtime, .last_errors = {}};
  return state;
}

void expect_host(const char* function) {
  if (const Work* const work = running_work()) not_modelled(std::string(function) + " called by " + work->name);
}

void apply_planned(Machine& machine, cudaError_t status) {
  if (!ends_all_work(status)) return;
  machine.sticky = status;
  machine.schedule.drop();
}

cudaError_t enter(const Call& call, const char* function, Reach reach) {
  Machine& machine = call.machine;
  machine.now += host_seconds_of(function);
  const auto planned = static_cast<cudaError_t>(machine.plan.count(function));
  if (planned != cudaSuccess) {
    apply_planned(machine, planned);
    return planned;
  }
  if (reach == Reach::process) return cudaSuccess;
  machine.schedule.advance();
  machine.collect_fault();
  if (machine.sticky != cudaSuccess) return machine.sticky;
  if (machine.gpus.empty()) return cudaErrorNoDevice;
  if (!machine.make_context(call.thread.device)) return cudaErrorMemoryAllocation;
  call.thread.has_context = true;
  return reach == Reach::unsafe ? machine.refuse_unsafe(call.thread.mode) : cudaSuccess;
}

cudaError_t leave(const Call& call, Reach reach, cudaError_t status) {
  if (reach != Reach::process && call.machine.sticky != cudaSuccess) status = call.machine.sticky;
  call.machine.schedule.advance();  // what was just submitted may be done already; its errors come with a later call
  // "cudaErrorNotReady … is not considered an error and is therefore not reported by cudaPeekAtLastError() or
  // cudaGetLastError()" (CUDA C++ Programming Guide, "Error Checking").
  if (status != cudaSuccess && status != cudaErrorNotReady) call.thread.last_errors[call.thread.runtime] = status;
  return status;
}

RuntimeId current_runtime() { return thread_state().runtime; }

RuntimeScope::RuntimeScope(RuntimeId runtime) : before_(thread_state().runtime) { thread_state().runtime = runtime; }
RuntimeScope::~RuntimeScope() { thread_state().runtime = before_; }

}  // namespace simulated
