#include <minima/tensor/cuda/solver/solver_handles.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/library_status.h>
#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/storage/allocator.h>

#include <driver_types.h>

#include <algorithm>
#include <mutex>
#include <vector>

#if __has_include(<cusolverDn.h>) && __has_include(<cublas_v2.h>)

namespace minima::cuda {

namespace {

using minima::detail::max_devices;

const char* solver_status_name(cusolverStatus_t status) {
  switch (status) {
    case CUSOLVER_STATUS_NOT_INITIALIZED: return "CUSOLVER_STATUS_NOT_INITIALIZED";
    case CUSOLVER_STATUS_ALLOC_FAILED: return "CUSOLVER_STATUS_ALLOC_FAILED";
    case CUSOLVER_STATUS_INVALID_VALUE: return "CUSOLVER_STATUS_INVALID_VALUE";
    case CUSOLVER_STATUS_ARCH_MISMATCH: return "CUSOLVER_STATUS_ARCH_MISMATCH";
    case CUSOLVER_STATUS_EXECUTION_FAILED: return "CUSOLVER_STATUS_EXECUTION_FAILED";
    case CUSOLVER_STATUS_INTERNAL_ERROR: return "CUSOLVER_STATUS_INTERNAL_ERROR";
    case CUSOLVER_STATUS_NOT_SUPPORTED: return "CUSOLVER_STATUS_NOT_SUPPORTED";
    case CUSOLVER_STATUS_INVALID_WORKSPACE: return "CUSOLVER_STATUS_INVALID_WORKSPACE";
    default: return "unknown status";
  }
}

/// Handles that no thread uses, of each device. Never destroyed.
struct IdleSolvers {
  std::mutex mutex;
  std::vector<SolverHandles> of[max_devices];
};
IdleSolvers& idle_solvers() {
  static IdleSolvers* const all = new IdleSolvers;
  return *all;
}

/// Calls create(), again after minima's allocator has given back what it can: handles take memory from the driver.
template <class Status, class Create>
Status with_memory(Device device, Status out_of_memory, Create create) {
  const Status status = create();
  if (status != out_of_memory) return status;
  empty_cache(device);
  return create();
}

}  // namespace

void check_solver(cusolverStatus_t status, const char* call) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  check_device(call);
  throw Error(str("cuSOLVER: ", call, ": ", solver_status_name(status), " (", static_cast<int>(status), ")"));
}

void check_blas(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  check_device(call);
  throw Error(str("cuBLAS: ", call, ": status ", static_cast<int>(status)));
}

SolverHandles acquire_solver(Device device) {
  const cudaStream_t stream = minima::detail::current_stream_state(device.index)->handle;
  {
    const std::lock_guard lock(idle_solvers().mutex);
    auto& rest = idle_solvers().of[device.index];
    const auto found =
        std::find_if(rest.begin(), rest.end(), [&](const SolverHandles& h) { return h.stream == stream; });
    if (found != rest.end()) {
      const SolverHandles handles = *found;
      rest.erase(found);
      return handles;
    }
  }
  SolverHandles handles{.stream = stream};
  check_solver(with_memory(device, CUSOLVER_STATUS_ALLOC_FAILED, [&] { return cusolverDnCreate(&handles.solver); }),
               "cusolverDnCreate");
  check_solver(cusolverDnCreateParams(&handles.params), "cusolverDnCreateParams");
  check_solver(cusolverDnSetStream(handles.solver, stream), "cusolverDnSetStream");
  return handles;
}

void release_solver(Device device, const SolverHandles& handles) {
  const std::lock_guard lock(idle_solvers().mutex);
  idle_solvers().of[device.index].push_back(handles);
}

cublasHandle_t blas_of(SolverHandles& handles, Device device) {
  if (!handles.blas) {
    check_blas(with_memory(device, CUBLAS_STATUS_ALLOC_FAILED, [&] { return cublasCreate(&handles.blas); }),
               "cublasCreate");
    check_blas(cublasSetStream(handles.blas, handles.stream), "cublasSetStream");
  }
  return handles.blas;
}

}  // namespace minima::cuda

#endif
