#pragma once

#include "simulated/libraries/nccl/message.h"
#include "simulated/machine/machine.h"

#include <nccl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace simulated::nccl {

/// A call with this rank's buffers.
struct Operation {
  Description call;
  const void* from = nullptr;
  void* to = nullptr;
};

/// One rank of a communicator. Guarded by the machine's lock.
class Communicator : public std::enable_shared_from_this<Communicator> {
 public:
  enum class State : std::uint8_t {
    starting,
    ready,
    connecting,  ///< a group of calls waits for connections before it is submitted to its stream
    finalizing,
    finalized,
    failed
  };

  Communicator(Machine& machine, int device, int rank, int size, bool is_blocking);

  /// Joins the others at the hub and starts the thread that hears it.
  void join(const std::string& hub);
  /// Submits a group of calls to a stream. The first calls connect, which waits for the peers, before anything is
  /// submitted. Any group may be submitted late: "ncclInProgress" is always possible.
  void start(cudaStream_t stream, std::vector<Operation> operations);
  void finalize();
  /// Whether a graph contains calls of this communicator.
  bool is_in_graphs() const { return in_graphs_.use_count() > 1; }
  /// Ends everything: streams wait for this rank's calls no longer. Returns the thread, for the caller to join without
  /// the machine's lock.
  std::thread end();

  /// The state that ncclCommGetAsyncError tells, after a little of the work that is under way.
  ncclResult_t state();
  /// The same, without any work.
  ncclResult_t progress() const;
  /// Whether calls are possible: ncclSuccess, or the error.
  ncclResult_t expect_ready();
  /// Waits until no call is in progress. Returns the error if there is one.
  ncclResult_t wait();
  ncclResult_t fail(ncclResult_t error, std::string text);

  int device() const { return device_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_blocking() const { return is_blocking_; }
  const std::string& last_error() const { return last_error_; }

 private:
  struct Group {
    cudaStream_t stream = nullptr;
    std::vector<Operation> operations;
  };
  /// A call that the stream has reached.
  struct Running {
    Operation operation;
    TaskRef task;
  };

  void listen();
  void handle(const Packet& packet);
  void run_a_little();
  ncclResult_t submit();
  void begin(const std::vector<Operation>& operations, const TaskRef& task);
  Link link_of(const Operation& operation) const;
  Access source(const Operation& operation) const;
  Access target(const Operation& operation) const;
  void complete(std::uint64_t ticket, const Payload& result);
  bool is_idle() const;
  void send_finalize();

  Machine& machine_;
  int device_, rank_, size_;
  bool is_blocking_;
  State state_ = State::starting;
  ncclResult_t error_ = ncclSuccess;
  std::string last_error_;
  int socket_ = -1;
  std::thread thread_;
  bool has_ended_ = false, is_urged_ = false, has_sent_finalize_ = false, is_root_remote_ = false;
  std::shared_ptr<int> in_graphs_ = std::make_shared<int>();  ///< captured calls hold it
  std::set<Link> links_, awaited_;
  Group group_;                                 ///< that waits for connections
  TaskRef last_;                                ///< calls of a communicator run one after another, on any streams
  std::vector<TaskRef> submitted_;              ///< not known to be done
  std::map<std::uint64_t, Running> running_;    ///< by ticket
  std::map<const Task*, std::size_t> waiting_;  ///< calls of a group that have not ended
  std::uint64_t next_ticket_ = 1;
};

}  // namespace simulated::nccl
