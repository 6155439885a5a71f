#pragma once

#include "simulated/runtime/call.h"

#include <cublasLt.h>

// All calls of the simulated cuBLASLt have this in common. The library has its own runtime: a failure is a
// cublasStatus_t and leaves nothing in the program's last error.

struct cublasLtContext {
  int device;  ///< that was current when the handle was created
};

namespace simulated {

/// Whether cublasLtCreate made the handle. With the machine's lock held.
bool is_cublas_lt_handle(const cublasLtContext* handle);

/// The status of a planned failure, or of the runtime's.
cublasStatus_t cublas_status(cudaError_t error);

/// A function of cuBLASLt: body(Call) says what it returns.
template <class Body> cublasStatus_t cublas_call(const char* function, Reach reach, const Body& body) noexcept {
  expect_host(function);
  Machine& machine = simulated::machine();
  const InCall in_call(machine);
  const Call call{machine, thread_state()};
  const cudaError_t refused = enter(call, function, reach);
  const cublasStatus_t status = refused == cudaSuccess ? body(call) : cublas_status(refused);
  machine.schedule.advance();
  return status;
}

}  // namespace simulated
