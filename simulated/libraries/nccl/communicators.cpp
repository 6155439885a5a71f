#include "simulated/libraries/nccl/calls.h"
#include "simulated/libraries/nccl/communicator.h"
#include "simulated/libraries/nccl/hub.h"
#include "simulated/machine/report.h"
#include "simulated/runtime/call.h"

#include <nccl.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <thread>

namespace simulated::nccl {

namespace {

/// Never destroyed, since calls may come while static objects are being destroyed.
std::map<ncclComm_t, std::shared_ptr<Communicator>>& communicators() {
  static auto* const all = new std::map<ncclComm_t, std::shared_ptr<Communicator>>;
  return *all;
}

}  // namespace

std::shared_ptr<Communicator> find(ncclComm_t handle, const char* function) {
  if (!handle) return nullptr;
  const auto found = communicators().find(handle);
  if (found != communicators().end()) return found->second;
  report(std::string(function) + " of a communicator that was destroyed");
  return nullptr;
}

ncclComm_t add(const std::shared_ptr<Communicator>& communicator) {
  const auto handle = reinterpret_cast<ncclComm_t>(communicator.get());
  communicators()[handle] = communicator;
  return handle;
}

void erase(ncclComm_t handle) { communicators().erase(handle); }

}  // namespace simulated::nccl

using namespace simulated;
using namespace simulated::nccl;

extern "C" {

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  return nccl_call("ncclGetUniqueId", [&](Machine&) {
    if (!id) return ncclInvalidArgument;
    try {
      *id = {};
      start_hub().copy(id->internal, sizeof id->internal - 1);
      return ncclSuccess;
    } catch (const std::system_error&) {
      return ncclSystemError;
    }
  });
}

/// Makes a communicator of the calling thread's current device. "If the communicator is created as nonblocking, …
/// ncclCommGetAsyncError needs to be called to query its state"; the handle is there at once.
ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int size, ncclUniqueId id, int rank, ncclConfig_t* config) {
  return nccl_call("ncclCommInitRankConfig", [&](Machine& machine) {
    if (!comm || size < 1 || rank < 0 || rank >= size) return ncclInvalidArgument;
    if (config && (config->magic != 0xcafebeef ||
                   (config->blocking != NCCL_CONFIG_UNDEF_INT && config->blocking != 0 && config->blocking != 1)))
      return ncclInvalidArgument;
    *comm = nullptr;
    const int device = thread_state().device;
    if (machine.sticky != cudaSuccess || !machine.make_context(device)) return ncclUnhandledCudaError;
    const bool is_blocking = !config || config->blocking != 0;
    const auto communicator = std::make_shared<Communicator>(machine, device, rank, size, is_blocking);
    *comm = add(communicator);
    communicator->join(id.internal);
    return is_blocking ? communicator->wait() : ncclInProgress;
  });
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
  return nccl_call("ncclCommGetAsyncError", comm, [&](Communicator& communicator) {
    *state = communicator.state();
    return ncclSuccess;
  });
}

/// "All uncompleted operations … will be flushed", and the communicator waits for the other ranks to do the same.
ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  return nccl_call("ncclCommFinalize", comm, [&](Communicator& communicator) {
    if (const ncclResult_t refused = communicator.expect_ready(); refused != ncclSuccess) return refused;
    communicator.finalize();
    return communicator.is_blocking() ? communicator.wait() : ncclInProgress;
  });
}

/// Finalizes first if that has not been done. With operations in progress that hangs or frees what is in use.
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  std::thread ended;
  const ncclResult_t result = nccl_call("ncclCommDestroy", comm, [&](Communicator& communicator) {
    if (communicator.is_in_graphs())
      report("ncclCommDestroy while a graph contains calls of the communicator: NCCL waits for the graph's end");
    if (communicator.expect_ready() == ncclSuccess) communicator.finalize();
    else if (communicator.state() == ncclInProgress)
      report("ncclCommDestroy while an operation of the communicator is in progress");
    communicator.wait();
    ended = communicator.end();
    erase(comm);
    return ncclSuccess;
  });
  if (ended.joinable()) ended.join();
  return result;
}

/// Returns when no graph contains the communicator's calls ("keep polling until all graphs referencing us die",
/// commDestroySync).
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  std::thread ended;
  std::shared_ptr<Communicator> aborted;
  const ncclResult_t result = nccl_call("ncclCommAbort", comm, [&](Communicator& communicator) {
    aborted = communicator.shared_from_this();
    ended = communicator.end();
    erase(comm);
    return ncclSuccess;
  });
  if (ended.joinable()) ended.join();
  while (aborted && aborted->is_in_graphs()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return result;
}

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess: return "no error";
    case ncclUnhandledCudaError: return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case ncclSystemError: return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case ncclInternalError: return "internal error - please report this issue to the NCCL developers";
    case ncclInvalidArgument: return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case ncclInvalidUsage: return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case ncclRemoteError: return "remote process exited or there was a network error";
    case ncclInProgress: return "NCCL operation in progress";
  }
  return "unknown result code";
}

/// The last error of the communicator, or without one of this thread's last failed call.
const char* ncclGetLastError(ncclComm_t comm) {
  thread_local std::string text;
  Machine& machine = simulated::machine();
  const std::lock_guard lock(machine.mutex);
  const auto communicator = comm ? find(comm, "ncclGetLastError") : nullptr;
  text = communicator ? communicator->last_error() : "";
  return text.c_str();
}

}  // extern "C"
