#pragma once

#include "simulated/libraries/cusolver/call.h"

#include <cusolverDn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

// All functions of the simulated cuSOLVER have this in common. The library has its own runtime: a failure is a
// cusolverStatus_t and leaves nothing in the program's last error.

struct cusolverDnContext {
  simulated::DenseHandle handle;
};

namespace simulated {

/// Whether cusolverDnCreate or cusolverDnCreateParams made it. With the machine's lock held.
bool is_solver_handle(const cusolverDnContext* handle);
bool is_solver_params(const cusolverDnParams* params);

/// The status of a planned failure, or of the runtime's.
cusolverStatus_t solver_status(cudaError_t error);

/// A function of cuSOLVER: body(Call) says what it returns.
template <class Body> cusolverStatus_t solver_call(const char* function, Reach reach, const Body& body) noexcept {
  expect_host(function);
  Machine& machine = simulated::machine();
  const InCall in_call(machine);
  const Call call{machine, thread_state()};
  const cudaError_t refused = enter(call, function, reach);
  const cusolverStatus_t status = refused == cudaSuccess ? body(call) : solver_status(refused);
  machine.schedule.advance();
  return status;
}

/// Memory that a function asks for and is given.
struct Workspace {
  void* device = nullptr;
  std::size_t device_bytes = 0;
  void* host = nullptr;
  std::size_t host_bytes = 0;

  bool is_enough(const Workspace& given) const {
    return given.device_bytes >= device_bytes && given.host_bytes >= host_bytes &&
           (device_bytes == 0 || given.device) && (host_bytes == 0 || given.host);
  }
};

inline Workspace needs(std::int64_t elements, bool is_double, std::int64_t host_elements = 0) {
  const std::size_t element = is_double ? sizeof(double) : sizeof(float);
  return {.device_bytes = static_cast<std::size_t>(elements) * element,
          .host_bytes = static_cast<std::size_t>(host_elements) * element};
}

inline double number(std::int64_t n) { return static_cast<double>(n); }

inline bool is_real(std::initializer_list<cudaDataType> types) {
  return std::all_of(types.begin(), types.end(), [&](cudaDataType type) {
    return type == *types.begin() && (type == CUDA_R_32F || type == CUDA_R_64F);
  });
}

/// A call of a function: its cost, and the memory that it may touch.
struct SolverFunction {
  const char* name;
  double flops;
  bool is_double;
  std::vector<Access> accesses;
  int* info;
};

/// Submits `compute`, which returns info. Workspaces are filled with NaN first, that of the host, too: the manual does
/// not say that it is used only during the call.
template <class Compute>
cusolverStatus_t submit(const Call& call, cusolverDnHandle_t handle, SolverFunction function, const Workspace& needed,
                        const Workspace& given, const Compute& compute) {
  if (!function.info || !needed.is_enough(given)) return CUSOLVER_STATUS_INVALID_VALUE;
  if (!is_of_current_device(call, handle->handle, function.name)) return CUSOLVER_STATUS_EXECUTION_FAILED;
  function.accesses.push_back({reinterpret_cast<const char*>(function.info), sizeof(int)});
  function.accesses.push_back({static_cast<const char*>(given.device), needed.device_bytes});
  return solver_status(submit_dense(call, handle->handle, function.name, function.accesses, function.flops,
                                    function.is_double, [needed, given, info = function.info, compute] {
                                      if (needed.device_bytes > 0) std::memset(given.device, 0xFF, needed.device_bytes);
                                      if (needed.host_bytes > 0) std::memset(given.host, 0xFF, needed.host_bytes);
                                      const int found = compute();
                                      std::memcpy(info, &found, sizeof found);
                                    }));
}

/// A function of a handle. Real ones may allocate memory, so a capture prohibits all of them.
template <class Body>
cusolverStatus_t handle_call(const char* function, cusolverDnHandle_t handle, const Body& body) {
  return solver_call(function, Reach::unsafe, [&](const Call& call) {
    return is_solver_handle(handle) ? body(call) : CUSOLVER_STATUS_NOT_INITIALIZED;
  });
}
template <class Body>
cusolverStatus_t params_call(const char* function, cusolverDnHandle_t handle, cusolverDnParams_t own,
                             const Body& body) {
  return handle_call(function, handle, [&](const Call& call) {
    return is_solver_params(own) ? body(call) : CUSOLVER_STATUS_INVALID_VALUE;
  });
}

/// A function that says what memory another needs.
inline cusolverStatus_t size_call(const char* function, cusolverDnHandle_t handle, cusolverDnParams_t own,
                                  bool is_valid, const Workspace& needed, std::size_t* device_bytes,
                                  std::size_t* host_bytes) {
  return solver_call(function, Reach::process, [&](const Call&) {
    if (!is_solver_handle(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!is_solver_params(own) || !is_valid) return CUSOLVER_STATUS_INVALID_VALUE;
    *device_bytes = needed.device_bytes;
    *host_bytes = needed.host_bytes;
    return CUSOLVER_STATUS_SUCCESS;
  });
}

inline Stored matrix(const void* address, std::int64_t m, std::int64_t n, std::int64_t ld, bool is_double) {
  return {static_cast<char*>(const_cast<void*>(address)), m, n, ld, is_double};
}

}  // namespace simulated
