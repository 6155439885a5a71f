#include "simulated/libraries/nccl/calls.h"
#include "simulated/libraries/nccl/communicator.h"
#include "simulated/libraries/nccl/message.h"
#include "simulated/machine/report.h"

#include <nccl.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace simulated;
using namespace simulated::nccl;

namespace {

/// The calls of a thread between ncclGroupStart and ncclGroupEnd.
struct Group {
  struct Part {
    std::shared_ptr<Communicator> communicator;
    cudaStream_t stream;
    std::vector<Operation> operations;
  };
  int depth = 0;
  ncclResult_t error = ncclSuccess;
  std::vector<Part> parts;
};
thread_local Group group;

/// Submits everything; waits for the connections of blocking communicators only after all have asked for theirs.
ncclResult_t launch(Group started) {
  if (started.error != ncclSuccess) return started.error;
  for (Group::Part& part : started.parts) part.communicator->start(part.stream, std::move(part.operations));
  ncclResult_t result = ncclSuccess;
  for (const Group::Part& part : started.parts) {
    Communicator& communicator = *part.communicator;
    const ncclResult_t own = communicator.is_blocking() ? communicator.wait() : communicator.progress();
    if (own != ncclSuccess && (result == ncclSuccess || result == ncclInProgress)) result = own;
  }
  return result;
}

ncclResult_t append(const std::shared_ptr<Communicator>& communicator, cudaStream_t stream,
                    const Operation& operation) {
  const Description& call = operation.call;
  const bool has_peer = !call.is_collective() || call.verb == Verb::broadcast || call.verb == Verb::reduce;
  if (const ncclResult_t refused = communicator->expect_ready(); refused != ncclSuccess) return refused;
  if (call.type < ncclInt8 || call.type > ncclBfloat16) not_modelled("a dtype of NCCL: " + std::to_string(call.type));
  if (call.reduce < ncclSum || call.reduce > ncclAvg) return ncclInvalidArgument;
  if (has_peer && (call.peer < 0 || call.peer >= communicator->size())) return ncclInvalidArgument;
  if (call.count == 0 && call.is_collective()) return ncclSuccess;  // NCCL launches nothing
  const auto same = std::find_if(group.parts.begin(), group.parts.end(),
                                 [&](const Group::Part& part) { return part.communicator == communicator; });
  if (same == group.parts.end()) {
    group.parts.push_back({communicator, stream, {operation}});
    return ncclSuccess;
  }
  if (same->stream != stream) not_modelled("a group of calls of one communicator on several streams");
  same->operations.push_back(operation);
  return ncclSuccess;
}

/// A call outside a group is a group of one.
ncclResult_t call(const Operation& operation, ncclComm_t comm, cudaStream_t stream) {
  const char* const function = name(operation.call.verb);
  return nccl_call(function, [&](Machine&) {
    const auto communicator = find(comm, function);
    const ncclResult_t result = communicator ? append(communicator, stream, operation) : ncclInvalidArgument;
    if (group.depth > 0) {
      if (result != ncclSuccess) group.error = result;
      return result;
    }
    const Group alone = std::exchange(group, {});
    return result == ncclSuccess ? launch(alone) : result;
  });
}

}  // namespace

extern "C" {

ncclResult_t ncclGroupStart() {
  return nccl_call("ncclGroupStart", [](Machine&) {
    ++group.depth;
    return ncclSuccess;
  });
}

ncclResult_t ncclGroupEnd() {
  return nccl_call("ncclGroupEnd", [](Machine&) {
    if (group.depth == 0) return ncclInvalidUsage;
    return --group.depth > 0 ? ncclSuccess : launch(std::exchange(group, {}));
  });
}

ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t reduce,
                           ncclComm_t comm, cudaStream_t stream) {
  return call({{Verb::all_reduce, type, reduce, -1, count}, from, to}, comm, stream);
}

ncclResult_t ncclBroadcast(const void* from, void* to, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t stream) {
  return call({{Verb::broadcast, type, ncclSum, root, count}, from, to}, comm, stream);
}

/// `count` is that of one rank.
ncclResult_t ncclAllGather(const void* from, void* to, size_t count, ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
  return call({{Verb::all_gather, type, ncclSum, -1, count}, from, to}, comm, stream);
}

ncclResult_t ncclReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t reduce, int root,
                        ncclComm_t comm, cudaStream_t stream) {
  return call({{Verb::reduce, type, reduce, root, count}, from, to}, comm, stream);
}

/// `count` is that of one rank.
ncclResult_t ncclReduceScatter(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t reduce,
                               ncclComm_t comm, cudaStream_t stream) {
  return call({{Verb::reduce_scatter, type, reduce, -1, count}, from, to}, comm, stream);
}

ncclResult_t ncclSend(const void* from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return call({{Verb::send, type, ncclSum, peer, count}, from, nullptr}, comm, stream);
}

ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream) {
  return call({{Verb::receive, type, ncclSum, peer, count}, nullptr, to}, comm, stream);
}

}  // extern "C"
