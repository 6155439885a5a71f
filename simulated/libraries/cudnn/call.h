#pragma once

#include "simulated/runtime/call.h"

#include <cudnn.h>

#include <string>

// All calls of the simulated cuDNN have this in common. It has its own runtime: a failure is cuDNN's status and
// leaves nothing in the program's last error.

struct cudnnContext {
  int device;           ///< that was current when the handle was created
  cudaStream_t stream;  ///< null: the device's default stream
};

namespace simulated {

/// Keeps what cudnnGetLastErrorString tells this thread, and returns the status.
cudnnStatus_t cudnn_failure(cudnnStatus_t status, const std::string& words);
/// The status of a failure of the runtime, or one of cuDNN's that the failure plan asked for.
cudnnStatus_t cudnn_status(cudaError_t error, const std::string& function);
bool is_cudnn_handle(cudnnHandle_t handle);

/// A function of cuDNN: body(Call) says what it returns.
template <class Body> cudnnStatus_t cudnn_call(const std::string& function, Reach reach, const Body& body) noexcept {
  expect_host(function.c_str());
  Machine& machine = simulated::machine();
  const InCall in_call(machine);
  const Call call{machine, thread_state()};
  const cudaError_t refused = enter(call, function.c_str(), reach);
  const cudnnStatus_t status = refused == cudaSuccess ? body(call) : cudnn_status(refused, function);
  machine.schedule.advance();
  return status;
}

/// Submits work to the handle's stream, as the function does. `engine` is counted, and may be made to fail, too.
cudnnStatus_t submit_cudnn(const std::string& function, cudnnHandle_t handle, const std::string& engine, Work work);

}  // namespace simulated
