#pragma once

#include <minima/distributed/backends/backend.h>
#include <minima/distributed/store/environment.h>
#include <minima/distributed/store/error.h>

namespace minima::distributed {

/// A running operation, as in torch.distributed.
class MINIMA_API Work {
 public:
  Work() = default;
  explicit Work(Ref<detail::WorkState> state) : state_(std::move(state)) {}
  /// Waits until the tensors may be used. For GPU tensors the current stream waits, not the host. Throws
  /// DistributedError if the operation failed.
  void wait() const;
  /// Waits and returns the result: the tensor itself for in-place operations.
  Tensor result() const;
  /// Whether wait() would return at once.
  bool is_done() const;
  explicit operator bool() const { return bool(state_); }

 private:
  Ref<detail::WorkState> state_;
};

struct CallOptions {
  /// Names the operation, also in messages: `bucket 3`. Ranks must give the same: an operation never takes part in one
  /// with another label, so that ranks which diverge end with an error, except over NCCL.
  std::string label = {};
  double timeout = 0;  ///< seconds; 0: the group's
};

/// Parts of an exchange.
MINIMA_API Transfer send_to(const Tensor& x, int peer, int tag = 0);
MINIMA_API Transfer receive_from(const Tensor& x, int peer, int tag = 0);

namespace detail {
class Group;
class Watchdog;
struct GroupAccess;
}  // namespace detail

/// A group of processes (or threads) that communicate. A handle: copies are the same group. All members must call the
/// same operations in the same order, with equal dtype, shape and root. Operations are asynchronous and return a Work;
/// their tensors, which must be contiguous, must not be used before wait(). ValueError, ShapeError and DTypeError are
/// thrown before anything is sent.
///
///     group.all_reduce(x, Reduce::mean).wait();
///     Tensor rows = group.all_gather(row).result();
///
/// After a DistributedError all further operations throw. Only one thread at a time may use a group. Threads that use
/// groups of one GPU at the same time need a stream each (StreamGuard): on a shared stream an operation waits for those
/// of other groups that were waited for before it, so ranks whose threads come in different orders wait for one
/// another.
class MINIMA_API ProcessGroup {
 public:
  ProcessGroup();
  ProcessGroup(const ProcessGroup& other);
  ProcessGroup(ProcessGroup&& other) noexcept;
  ProcessGroup& operator=(ProcessGroup other) noexcept;
  ~ProcessGroup();
  /// A group over a custom backend.
  ProcessGroup(Ref<Backend> backend, int rank, int size, double timeout = 120);
  explicit ProcessGroup(Ref<detail::Group> group);

  bool defined() const { return bool(group_); }
  int rank() const;
  int size() const;
  /// True on rank 0, which should write logs and files.
  bool is_first() const { return rank() == 0; }
  const char* backend() const;
  /// The device that the backend's tensors must be on.
  Device device() const;
  double timeout() const;

  /// Reduces x over all ranks, in place. The result is bitwise identical on all ranks.
  Work all_reduce(const Tensor& x, Reduce reduce = Reduce::sum, CallOptions options = {}) const;
  /// Reduces x over all ranks into the root's x, and returns it there; undefined elsewhere, where x does not change.
  Work reduce(const Tensor& x, int root = 0, Reduce reduce = Reduce::sum, CallOptions options = {}) const;
  /// Copies the root's x to all ranks, in place.
  Work broadcast(const Tensor& x, int root = 0, CallOptions options = {}) const;
  /// Stacks x [...] of all ranks to [size, ...] on every rank.
  Work all_gather(const Tensor& x, CallOptions options = {}) const;
  /// x [size, ...] → [...]: rank r gets x[r], reduced over all ranks.
  Work reduce_scatter(const Tensor& x, Reduce reduce = Reduce::sum, CallOptions options = {}) const;
  /// x [size, ...] → [size, ...]: sends row r to rank r, and receives row r from it.
  Work all_to_all(const Tensor& x, CallOptions options = {}) const;
  /// Stacks x [...] of all ranks to [size, ...] on the root; undefined elsewhere.
  Work gather(const Tensor& x, int root = 0, CallOptions options = {}) const;
  /// x = rows[rank] of the root's rows [size, ...], in place. Other ranks' `rows` are ignored.
  Work scatter(const Tensor& x, const Tensor& rows, int root = 0, CallOptions options = {}) const;
  Work send(const Tensor& x, int to, int tag = 0, CallOptions options = {}) const;
  Work receive(const Tensor& x, int from, int tag = 0, CallOptions options = {}) const;
  /// Sends and receives that start together, so that ranks may exchange tensors in any order: a ring, halos. Between
  /// two ranks, messages of one tag arrive in the order of the list. The work's result is undefined.
  ///     group.exchange({send_to(x, next), receive_from(y, before)}).wait();
  Work exchange(std::vector<Transfer> transfers, CallOptions options = {}) const;

  // --- into tensors of the caller ---
  // Parts of tensors are rows of the first dimension. `rows` says how many belong to each rank, the same list on all
  // ranks; without it, all have the same number. Ranks may have none.

  /// Joins x [rows[rank], ...] of all ranks in `out` [sum of rows, ...]. x may be this rank's rows of `out`.
  Work all_gather_into(const Tensor& out, const Tensor& x, const std::vector<std::int64_t>& rows = {},
                       CallOptions options = {}) const;
  /// out [rows[rank], ...] = this rank's rows of x [sum of rows, ...], reduced over all ranks. They must not overlap.
  Work reduce_scatter_into(const Tensor& out, const Tensor& x, Reduce reduce = Reduce::sum,
                           const std::vector<std::int64_t>& rows = {}, CallOptions options = {}) const;
  /// Sends `given[r]` rows of x to rank r, and receives `taken[r]` rows of `out` from it, in the order of ranks. They
  /// must not overlap.
  Work all_to_all_into(const Tensor& out, const Tensor& x, const std::vector<std::int64_t>& given = {},
                       const std::vector<std::int64_t>& taken = {}, CallOptions options = {}) const;
  /// Blocks until all ranks have called it.
  void barrier(CallOptions options = {}) const;

  /// A group of the given ranks of this group, in this order. Only those ranks call it, all with the same list.
  ProcessGroup subgroup(const std::vector<int>& ranks) const;

 private:
  friend struct detail::GroupAccess;
  Ref<detail::Group> group_;
};

}  // namespace minima::distributed
