#pragma once

#include <minima/tensor/base/counted.h>
#include <minima/tensor/tensor.h>

#include <string>
#include <vector>

namespace minima::distributed {

/// How values of several ranks become one. `mean` is for floating dtypes; on bool, sum and max are "or", product and
/// min "and".
enum class Reduce : std::uint8_t { sum, mean, min, max, product };

enum class Collective : std::uint8_t {
  all_reduce,
  broadcast,
  all_gather,
  reduce_scatter,
  all_to_all,
  gather,
  scatter,
  barrier,
  send,
  receive
};
MINIMA_API const char* name(Collective kind);
MINIMA_API const char* name(Reduce reduce);

/// One call of one rank. Tensors are row-major; an undefined one is not part of the call on this rank.
struct Operation {
  Collective kind = Collective::barrier;
  Reduce reduce = Reduce::sum;
  int peer = -1;  ///< the root, or the other side of send and receive, as a rank of the group
  int tag = 0;    ///< of send and receive
  Tensor input;
  Tensor output;              ///< may be the input
  std::string label;          ///< for messages: `bucket 3`
  std::int64_t sequence = 0;  ///< counts the group's collectives from 1; send and receive have a count of their own
  double timeout = 120;       ///< seconds
  Ref<Counted> ticket = {};   ///< what the backend keeps between post and run

  bool is_point_to_point() const { return kind == Collective::send || kind == Collective::receive; }
};

/// What must be the same on all ranks: `all_reduce sum float32 [10]`.
MINIMA_API std::string signature(const Operation& operation);
/// That with label and number, as messages name it.
MINIMA_API std::string describe(const Operation& operation);

/// What carries the bytes of one group. A group calls `post` on the caller's thread, in order, and `run` on a thread of
/// its own, in the same order; send and receive have a second one. Own backends derive from this: see ProcessGroup.
class MINIMA_API Backend : public Counted {
 public:
  virtual const char* name() const = 0;
  /// Where tensors have to lie.
  virtual Device device() const { return Device::cpu(); }
  /// Begins what must not wait for earlier operations.
  virtual void post(Operation&) {}
  /// Carries the operation out and returns when it is done. Throws any std::exception where it fails or takes longer
  /// than the timeout.
  virtual void run(Operation& operation) = 0;
  /// Makes what the calling thread computes from now on wait for the operation, on the device. False: the host has to
  /// wait until `run` returns.
  virtual bool receive(const Operation&) { return false; }
  /// The group failed: others should notice, and running calls end soon. From any thread.
  virtual void abort() noexcept = 0;
  /// Ranks of the group that have not come to the operation, as far as the backend itself can know.
  virtual std::vector<int> late(const Operation&) { return {}; }
  /// A backend for some of the ranks, called by those alone; `index` is ours in the list.
  virtual Ref<Backend> split(const std::vector<int>& ranks, int index, const std::string& name, double timeout) = 0;
};

namespace detail {
/// Handed out by the group; see Work.
class MINIMA_API WorkState : public Counted {
 public:
  virtual void wait() = 0;
  virtual bool is_done() const = 0;
  virtual Tensor result() const = 0;
};
}  // namespace detail

}  // namespace minima::distributed
