#pragma once

#include <minima/distributed/backends/collective.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/tensor.h>

#include <string>
#include <vector>

namespace minima::distributed {

/// Reductions over ranks. `mean` needs a floating dtype; on bool, sum and max are "or", product and min "and".
enum class Reduce : std::uint8_t { sum, mean, min, max, product };

MINIMA_API const char* name(Reduce reduce);

/// One message of an exchange.
struct Transfer {
  Tensor tensor;  ///< contiguous
  int peer = -1;  ///< another rank of the group
  bool is_send = true;
  int tag = 0;
};

/// One call on one rank. Tensors are contiguous, and undefined if this rank does not use them.
struct Operation {
  Collective kind = Collective::barrier;
  Reduce reduce = Reduce::sum;
  int peer = -1;  ///< the root, or the other rank of send and receive; a rank of the group
  int tag = 0;    ///< for send and receive
  Tensor input;
  Tensor output;  ///< may be the input unless that has rows; rows of it may contain the input at this rank's place
  /// The number of elements that this rank gives to each (reduce_scatter, all_to_all) and gets from each (all_gather,
  /// all_to_all), if ranks have parts of different sizes. Empty if all are equal.
  std::vector<std::int64_t> parts_in = {}, parts_out = {};
  std::vector<Transfer> transfers = {};  ///< of an exchange
  std::string label;                     ///< tells operations on equal tensors apart, also in messages: `bucket 3`
  std::int64_t sequence = 0;  ///< numbers the group's collectives from 1; send and receive are numbered separately
  double timeout = 120;       ///< seconds
  std::int64_t replayed = 0;  ///< the number of operations in a captured graph that was launched just now
  Ref<Counted> ticket = {};   ///< the backend's data between post and run

  bool is_point_to_point() const { return kind >= Collective::send; }
  bool is_uneven() const { return !parts_in.empty() || !parts_out.empty(); }
};

/// The part of an operation that must agree on all ranks: `all_reduce sum float32 [10] 'bucket 3'`.
MINIMA_API std::string signature(const Operation& operation);

/// Elements `begin` to `begin + count` of a tensor.
struct Portion {
  std::int64_t begin = 0, count = 0;
};
/// Lists the elements of the input that rank `rank` of `size` gives to each rank, and those of the output that it gets
/// from each. None where it lacks the tensor or the other rank takes no part; a reduction gets its whole output from
/// each rank. A backend can serve any collective by these, as NCCL's does where NCCL has no call.
MINIMA_API std::vector<Portion> given_portions(const Operation& operation, int rank, int size);
MINIMA_API std::vector<Portion> taken_portions(const Operation& operation, int rank, int size);

/// The transport of one group. A group calls `post` on the caller's thread and `run` on a worker thread, both in the
/// order of the calls; send, receive and exchange use a second worker thread. Derive from this for a custom backend
/// (see ProcessGroup).
class MINIMA_API Backend : public Counted {
 public:
  virtual const char* name() const = 0;
  /// The device that tensors must be on.
  virtual Device device() const { return Device::cpu(); }
  /// Starts work that must not wait for earlier operations. If the operation is the replay of a graph, that was
  /// launched on the current stream, and `run` is to return when it is complete.
  virtual void post(Operation&) {}
  /// Whether `run` has nothing to wait for, so that groups call it on the caller's thread, behind `post`.
  virtual bool runs_at_once() const { return false; }
  /// Performs the operation and returns when it is complete. Throws any std::exception on failure or timeout.
  virtual void run(Operation& operation) = 0;
  /// Makes the calling thread's later work on the device wait for the operation. False if the host must wait until
  /// `run` returns.
  virtual bool receive(const Operation&) { return false; }
  /// Whether a posted operation is known to be complete, perhaps before `run` has noticed.
  virtual bool is_complete(const Operation&) { return false; }
  /// Whether a captured step may contain operations: what `post` submits while the current stream is captured, and
  /// `receive` after it, is all that they do. `run` is not called for them.
  virtual bool is_capturable() const { return false; }
  /// Makes the current stream wait for earlier operations, which must not be under way together with those of a graph
  /// that is about to be launched.
  virtual void before_replay() {}
  /// Called from any thread when the group has failed: running calls should end soon, and other ranks notice.
  virtual void abort() noexcept = 0;
  /// Ranks that have not joined the operation, as far as the backend knows.
  virtual std::vector<int> late(const Operation&) { return {}; }
  /// A backend for some of the ranks; only they call it. `index` is this rank's position in the list.
  virtual Ref<Backend> split(const std::vector<int>& ranks, int index, const std::string& name, double timeout) = 0;
};

namespace detail {
/// The state of a Work.
class MINIMA_API WorkState : public Counted {
 public:
  virtual void wait() = 0;
  virtual bool is_done() const = 0;
  virtual Tensor result() const = 0;
};
}  // namespace detail

}  // namespace minima::distributed
