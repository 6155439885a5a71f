#pragma once

#include <minima/distributed/backends/backend.h>
#include <minima/distributed/store/environment.h>
#include <minima/distributed/store/error.h>

namespace minima::distributed {

/// An operation that is under way.
class MINIMA_API Work {
 public:
  Work() = default;
  explicit Work(Ref<detail::WorkState> state) : state_(std::move(state)) {}
  /// Returns when the tensors may be used. For tensors on a GPU the current stream waits, not the host. Throws
  /// DistributedError where the operation failed.
  void wait() const;
  /// Waits and returns what came out: the tensor itself for operations in place.
  Tensor result() const;
  /// Whether wait() would return at once.
  bool is_done() const;
  explicit operator bool() const { return bool(state_); }

 private:
  Ref<detail::WorkState> state_;
};

struct CallOptions {
  std::string label = {};  ///< for messages: `bucket 3`
  double timeout = 0;      ///< seconds; 0: the group's
};

namespace detail {
class Group;
class Monitor;
}  // namespace detail

/// Processes (or threads) that work together. A handle: copies are the same group. Every member calls the same
/// operations in the same order. All of them start at once and return a Work; between call and wait() the tensors
/// belong to it. Tensors are row-major (`contiguous`); DType, shape and root agree on all ranks. ValueError, ShapeError
/// and DTypeError are thrown before anything is sent.
///
///     group.all_reduce(x, Reduce::mean).wait();
///     Tensor rows = group.all_gather(row).result();
///
/// After a DistributedError the group refuses everything else. A group belongs to one thread at a time.
class MINIMA_API ProcessGroup {
 public:
  ProcessGroup();
  ProcessGroup(const ProcessGroup& other);
  ProcessGroup(ProcessGroup&& other) noexcept;
  ProcessGroup& operator=(ProcessGroup other) noexcept;
  ~ProcessGroup();
  /// A group over a backend of one's own, for tests and other engines.
  ProcessGroup(Ref<Backend> backend, int rank, int size, double timeout = 120);
  explicit ProcessGroup(Ref<detail::Group> group);

  bool defined() const { return bool(group_); }
  int rank() const;
  int size() const;
  /// True on one rank, which writes logs and files.
  bool is_first() const { return rank() == 0; }
  const char* backend() const;
  /// Where tensors lie that the engine takes.
  Device device() const;
  double timeout() const;
  /// Each member's number in the world.
  const std::vector<int>& world_ranks() const;

  /// x = reduce over ranks of x. Bitwise the same everywhere.
  Work all_reduce(const Tensor& x, Reduce reduce = Reduce::sum, CallOptions options = {}) const;
  /// x = root's x.
  Work broadcast(const Tensor& x, int root = 0, CallOptions options = {}) const;
  /// x [...] → [size, ...] on every rank.
  Work all_gather(const Tensor& x, CallOptions options = {}) const;
  /// x [size, ...] → [...]: rank r gets the reduced x[r].
  Work reduce_scatter(const Tensor& x, Reduce reduce = Reduce::sum, CallOptions options = {}) const;
  /// x [size, ...] → [size, ...]: row r goes to rank r and comes from it.
  Work all_to_all(const Tensor& x, CallOptions options = {}) const;
  /// x [...] → [size, ...] on the root, undefined elsewhere.
  Work gather(const Tensor& x, int root = 0, CallOptions options = {}) const;
  /// x = rows[rank] of the root's rows [size, ...]; elsewhere `rows` is not looked at.
  Work scatter(const Tensor& x, const Tensor& rows, int root = 0, CallOptions options = {}) const;
  Work send(const Tensor& x, int to, int tag = 0, CallOptions options = {}) const;
  Work receive(const Tensor& x, int from, int tag = 0, CallOptions options = {}) const;
  /// Returns on every rank after all have come.
  void barrier(CallOptions options = {}) const;

  /// The group of some members, by their ranks here, in this order. Called by those alone, which must agree on the
  /// list.
  ProcessGroup subgroup(const std::vector<int>& ranks) const;

 private:
  Ref<detail::Group> group_;
};

}  // namespace minima::distributed
