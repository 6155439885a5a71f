#pragma once

#include <torch/csrc/distributed/c10d/Types.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <string>
#include <vector>

namespace c10d {

/// Processes, or threads, that communicate: a minima::distributed::ProcessGroup. Its transport is Gloo or NCCL,
/// whatever LibTorch's class is called: ProcessGroupMPI only finds the other processes as MPI programs do, from the
/// variables of mpirun. Lists have one tensor, as with Gloo and MPI.
class ProcessGroup {
 public:
  using Work = c10d::Work;
  using Result = c10::intrusive_ptr<Work>;

  explicit ProcessGroup(minima::distributed::ProcessGroup group);
  virtual ~ProcessGroup() = default;

  const minima::distributed::ProcessGroup& native() const { return group_; }
  int getRank() const { return group_.rank(); }
  int getSize() const { return group_.size(); }
  virtual const std::string getBackendName() const { return group_.backend(); }

  Result broadcast(std::vector<at::Tensor>& tensors, const BroadcastOptions& options = {});
  Result allreduce(std::vector<at::Tensor>& tensors, const AllreduceOptions& options = {});
  Result allreduce_coalesced(std::vector<at::Tensor>& tensors, const AllreduceCoalescedOptions& options = {});
  /// Only the root's tensor changes.
  Result reduce(std::vector<at::Tensor>& tensors, const ReduceOptions& options = {});
  Result allgather(std::vector<std::vector<at::Tensor>>& outputs, std::vector<at::Tensor>& inputs,
                   const AllgatherOptions& options = {});
  Result _allgather_base(at::Tensor& output, at::Tensor& input, const AllgatherOptions& options = {});
  Result gather(std::vector<std::vector<at::Tensor>>& outputs, std::vector<at::Tensor>& inputs,
                const GatherOptions& options = {});
  Result scatter(std::vector<at::Tensor>& outputs, std::vector<std::vector<at::Tensor>>& inputs,
                 const ScatterOptions& options = {});
  Result reduce_scatter(std::vector<at::Tensor>& outputs, std::vector<std::vector<at::Tensor>>& inputs,
                        const ReduceScatterOptions& options = {});
  Result alltoall(std::vector<at::Tensor>& outputs, std::vector<at::Tensor>& inputs,
                  const AllToAllOptions& options = {});
  Result send(std::vector<at::Tensor>& tensors, int destination, int tag);
  Result recv(std::vector<at::Tensor>& tensors, int source, int tag);
  /// Unlike LibTorch's, returns when all processes have come.
  Result barrier(const BarrierOptions& options = {});

  /// Leaves the group: operations that run fail here, and elsewhere by timeout.
  void abort() { group_ = {}; }
  void shutdown() { abort(); }

 private:
  minima::distributed::ProcessGroup group_;
};

using Backend = ProcessGroup;

namespace detail {
/// The processes that share a store.
minima::distributed::ProcessGroup join(Store& store, int rank, int size, const char* backend,
                                       std::chrono::milliseconds timeout);
}  // namespace detail

}  // namespace c10d
