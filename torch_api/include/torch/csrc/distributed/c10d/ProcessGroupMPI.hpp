#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace c10d {

/// The processes that mpirun, or any other launcher that minima knows, has started. They talk over Gloo: no MPI library
/// is needed. Alone, a process is a group of one.
class ProcessGroupMPI : public ProcessGroup {
 public:
  using ProcessGroup::ProcessGroup;
  /// With ranks: the group of these; null for processes that are not in it.
  static c10::intrusive_ptr<ProcessGroupMPI> createProcessGroupMPI(std::vector<int> ranks = {});
};

}  // namespace c10d
