#include "simulated/libraries/cusolver/solver.h"

#include <cusolverDn.h>

#include <memory>
#include <set>

struct cusolverDnParams {
  int unused;
};

namespace simulated {

namespace {

/// Never destroyed, since programs destroy handles late or not at all.
std::set<const cusolverDnContext*>& handles() {
  static auto* const all = new std::set<const cusolverDnContext*>;
  return *all;
}
std::set<const cusolverDnParams*>& params() {
  static auto* const all = new std::set<const cusolverDnParams*>;
  return *all;
}

}  // namespace

bool is_solver_handle(const cusolverDnContext* handle) { return handles().contains(handle); }
bool is_solver_params(const cusolverDnParams* own) { return params().contains(own); }

cusolverStatus_t solver_status(cudaError_t error) {
  switch (static_cast<int>(error)) {
    case cudaSuccess: return CUSOLVER_STATUS_SUCCESS;
    case CUSOLVER_STATUS_ALLOC_FAILED:  // cudaErrorMemoryAllocation, too
    case CUSOLVER_STATUS_INTERNAL_ERROR:
    case CUSOLVER_STATUS_NOT_SUPPORTED: return static_cast<cusolverStatus_t>(error);
    default: return CUSOLVER_STATUS_EXECUTION_FAILED;
  }
}

}  // namespace simulated

using namespace simulated;

extern "C" {

cusolverStatus_t cusolverGetVersion(int* version) {
  *version = CUSOLVER_VERSION;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  return solver_call("cusolverDnCreate", Reach::unsafe, [&](const Call& call) {
    *handle = std::make_unique<cusolverDnContext>(cusolverDnContext{{.device = call.thread.device}}).release();
    handles().insert(*handle);
    return CUSOLVER_STATUS_SUCCESS;
  });
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  return solver_call("cusolverDnSetStream", Reach::process, [&](const Call&) {
    if (!is_solver_handle(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
    handle->handle.stream = stream;
    return CUSOLVER_STATUS_SUCCESS;
  });
}

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* own) {
  return solver_call("cusolverDnCreateParams", Reach::process, [&](const Call&) {
    *own = std::make_unique<cusolverDnParams>().release();
    params().insert(*own);
    return CUSOLVER_STATUS_SUCCESS;
  });
}

}  // extern "C"
