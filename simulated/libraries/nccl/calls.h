#pragma once

#include "simulated/libraries/nccl/communicator.h"
#include "simulated/runtime/call.h"

#include <nccl.h>

#include <memory>

// All functions of NCCL have these in common: counting, planned failures, errors that end all work, handles.

namespace simulated::nccl {

/// The communicator of a handle. One that was destroyed is reported, and null.
std::shared_ptr<Communicator> find(ncclComm_t handle, const char* function);
ncclComm_t add(const std::shared_ptr<Communicator>& communicator);
void erase(ncclComm_t handle);

/// A function of NCCL: body(machine) says what it returns.
template <class Body> ncclResult_t nccl_call(const char* function, const Body& body) noexcept {
  expect_host(function);
  Machine& machine = simulated::machine();
  const InCall in_call(machine);
  if (const int planned = machine.plan.count(function); planned != 0) return static_cast<ncclResult_t>(planned);
  machine.schedule.advance();
  machine.collect_fault();
  return body(machine);
}

/// A function of a communicator: body(communicator) says what it returns.
template <class Body> ncclResult_t nccl_call(const char* function, ncclComm_t handle, const Body& body) noexcept {
  return nccl_call(function, [&](Machine&) {
    const auto communicator = find(handle, function);
    return communicator ? body(*communicator) : ncclInvalidArgument;
  });
}

}  // namespace simulated::nccl
