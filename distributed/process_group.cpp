#include <minima/distributed/process_group.h>

#include <minima/distributed/backends/backend.h>
#include <minima/distributed/backends/collective.h>
#include <minima/distributed/group.h>
#include <minima/distributed/placement/hooks.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace minima::distributed {

namespace {

using detail::Group;

std::vector<int> first_ranks(int size) {
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

/// Checks that need no communication.
class Call {
 public:
  Call(const Ref<Group>& group, Collective kind, CallOptions options) : group_(group) {
    if (!group) throw ValueError(str(name(kind), ": the process group is undefined; distributed::init() makes one"));
    op_.kind = kind;
    op_.label = std::move(options.label);
    minima::detail::check_number(name(kind), "timeout", options.timeout, {.low = 0, .has_low = true, .has_high = true});
    op_.timeout = options.timeout;
  }
  void tensor(const Tensor& x) const {
    if (!x.defined()) throw ValueError(str(name(op_.kind), ": the tensor is undefined"));
    if (is_complex(x.dtype()))
      throw DTypeError(str(name(op_.kind), ": complex tensors are not supported, got ", x, "; pass view_as_real(x)"));
    if (!x.is_contiguous()) throw ValueError(str(name(op_.kind), ": ", x, " is not contiguous; pass contiguous(x)"));
    if (x.device() != group_->backend().device())
      throw DeviceError(
          str(name(op_.kind), ": the group's backend, ", group_->backend().name(), ", does not support ", x));
  }
  void rows(const Tensor& x) const {
    tensor(x);
    if (x.rank() == 0 || x.size(0) != group_->size())
      throw ShapeError(
          str(name(op_.kind), ": the first dimension must be the number of ranks, ", group_->size(), ", but x is ", x));
  }
  void reduce(Reduce reduce, DType dtype) {
    op_.reduce = reduce;
    if (reduce == Reduce::mean && !is_floating(dtype))
      throw DTypeError(str(name(op_.kind), ": a mean needs a floating dtype, got ", dtype, "; take the sum"));
  }
  void peer(int rank, bool may_be_us = true) {
    if (rank < 0 || rank >= group_->size() || (!may_be_us && rank == group_->rank()))
      throw ValueError(str(name(op_.kind), ": rank ", rank, " is not ", may_be_us ? "a" : "another",
                           " rank of a group of ", group_->size(), "; this is rank ", group_->rank()));
    op_.peer = rank;
  }
  /// The elements of each rank's rows, or an empty list if all have as many. Throws ShapeError unless `rows` has a
  /// number for each rank, they add up to x's, and x can be cut there.
  std::vector<std::int64_t> parts(const char* of, const Tensor& x, const std::vector<std::int64_t>& rows,
                                  bool may_be_even = true) const {
    const std::int64_t all = x.rank() == 0 ? 1 : x.size(0), width = all == 0 ? 0 : x.numel() / all;
    std::int64_t sum = 0;
    bool fits = rows.size() == static_cast<std::size_t>(group_->size());
    std::vector<std::int64_t> parts;
    for (const std::int64_t count : rows) {
      fits = fits && count >= 0 && count <= all;
      sum += fits ? count : 0;
      parts.push_back(count * width);
    }
    if (!fits || sum != all) {
      std::string text;
      for (const std::int64_t count : rows) text += str(text.empty() ? "" : ", ", count);
      throw ShapeError(str(name(op_.kind), ": ", of, ' ', x, " has ", all, " rows, but the ranks' rows are ", text,
                           "; pass one number for each of the ", group_->size(), " ranks, which add up to ", all));
    }
    if (may_be_even && std::adjacent_find(parts.begin(), parts.end(), std::not_equal_to<>()) == parts.end()) return {};
    return parts;
  }
  /// Throws unless `whole` has `count` times the elements of `part`.
  void fits(const Tensor& whole, const Tensor& part, std::int64_t count) const {
    same_dtype(whole, part);
    if (whole.numel() != part.numel() * count)
      throw ShapeError(str(name(op_.kind), ": ", whole, " does not hold ", count, " times ", part,
                           count > 1 ? "; pass rows if the ranks have different numbers" : ""));
  }
  void holds(const Tensor& x, std::int64_t elements) const {
    if (x.numel() != elements)
      throw ShapeError(str(name(op_.kind), ": rank ", group_->rank(), " has ", elements, " elements by its rows, but ",
                           x, " has ", x.numel()));
  }
  void same_dtype(const Tensor& a, const Tensor& b) const {
    if (a.dtype() != b.dtype()) throw DTypeError(str(name(op_.kind), ": ", a, " and ", b, " differ in dtype"));
  }
  void apart(const Tensor& a, const Tensor& b) const {
    const auto *const x = static_cast<const char*>(a.raw_data()), *const y = static_cast<const char*>(b.raw_data());
    const auto bytes = [](const Tensor& t) { return static_cast<std::size_t>(t.numel()) * t.itemsize(); };
    if (bytes(a) > 0 && bytes(b) > 0 && std::less<>()(x, y + bytes(b)) && std::less<>()(y, x + bytes(a)))
      throw ValueError(str(name(op_.kind), ": out and x share memory; pass another tensor"));
  }
  std::size_t index() const { return static_cast<std::size_t>(group_->rank()); }
  bool is_root() const { return op_.peer == group_->rank(); }
  Tensor stacked(const Tensor& x) const {
    Shape shape = x.shape();
    shape.insert(0, group_->size());
    return empty(shape, {x.dtype(), x.device()});
  }
  Operation& op() { return op_; }
  Work start() {
    if (detail::checks_placement()) [[unlikely]] {
      detail::check_collective(op_, detail::rank_set_text(group_->members()));
      const detail::PlacementPause pause;
      return Work(Group::start(group_, std::move(op_)));
    }
    return Work(Group::start(group_, std::move(op_)));
  }

 private:
  const Ref<Group>& group_;
  Operation op_;
};

}  // namespace

void Work::wait() const {
  if (!state_) throw ValueError("Work: no operation was started");
  state_->wait();
}

Tensor Work::result() const {
  wait();
  return state_->result();
}

bool Work::is_done() const { return !state_ || state_->is_done(); }

ProcessGroup::ProcessGroup() = default;
ProcessGroup::ProcessGroup(const ProcessGroup& other) = default;
ProcessGroup::ProcessGroup(ProcessGroup&& other) noexcept = default;
ProcessGroup& ProcessGroup::operator=(ProcessGroup other) noexcept {
  std::swap(group_, other.group_);
  return *this;
}
ProcessGroup::~ProcessGroup() = default;
ProcessGroup::ProcessGroup(Ref<Group> group) : group_(std::move(group)) {}
ProcessGroup::ProcessGroup(Ref<Backend> backend, int rank, int size, double timeout)
    : group_(new Group("world", std::move(backend), {}, rank, first_ranks(size), timeout, false)) {}

int ProcessGroup::rank() const { return group_ ? group_->rank() : 0; }
int ProcessGroup::size() const { return group_ ? group_->size() : 1; }
const char* ProcessGroup::backend() const { return group_ ? group_->backend().name() : "none"; }
Device ProcessGroup::device() const { return group_ ? group_->backend().device() : Device::cpu(); }
double ProcessGroup::timeout() const { return group_ ? group_->timeout() : 0; }

Work ProcessGroup::all_reduce(const Tensor& x, Reduce reduce, CallOptions options) const {
  Call call(group_, Collective::all_reduce, std::move(options));
  call.tensor(x);
  call.reduce(reduce, x.dtype());
  call.op().input = call.op().output = x;
  return call.start();
}

Work ProcessGroup::reduce(const Tensor& x, int root, Reduce reduce, CallOptions options) const {
  Call call(group_, Collective::reduce, std::move(options));
  call.tensor(x);
  call.reduce(reduce, x.dtype());
  call.peer(root);
  call.op().input = x;
  if (call.is_root()) call.op().output = x;
  return call.start();
}

Work ProcessGroup::broadcast(const Tensor& x, int root, CallOptions options) const {
  Call call(group_, Collective::broadcast, std::move(options));
  call.tensor(x);
  call.peer(root);
  call.op().input = call.op().output = x;
  return call.start();
}

Work ProcessGroup::all_gather(const Tensor& x, CallOptions options) const {
  Call call(group_, Collective::all_gather, std::move(options));
  call.tensor(x);
  call.op().input = x;
  call.op().output = call.stacked(x);
  return call.start();
}

Work ProcessGroup::reduce_scatter(const Tensor& x, Reduce reduce, CallOptions options) const {
  Call call(group_, Collective::reduce_scatter, std::move(options));
  call.rows(x);
  call.reduce(reduce, x.dtype());
  Shape shape = x.shape();
  shape.erase(0);
  call.op().input = x;
  call.op().output = empty(shape, {x.dtype(), x.device()});
  return call.start();
}

Work ProcessGroup::all_to_all(const Tensor& x, CallOptions options) const {
  Call call(group_, Collective::all_to_all, std::move(options));
  call.rows(x);
  call.op().input = x;
  call.op().output = empty(x.shape(), {x.dtype(), x.device()});
  return call.start();
}

Work ProcessGroup::gather(const Tensor& x, int root, CallOptions options) const {
  Call call(group_, Collective::gather, std::move(options));
  call.tensor(x);
  call.peer(root);
  call.op().input = x;
  if (call.is_root()) call.op().output = call.stacked(x);
  return call.start();
}

Work ProcessGroup::scatter(const Tensor& x, const Tensor& rows, int root, CallOptions options) const {
  Call call(group_, Collective::scatter, std::move(options));
  call.tensor(x);
  call.peer(root);
  if (call.is_root()) {
    call.rows(rows);
    if (rows.dtype() != x.dtype() || rows.numel() != x.numel() * size())
      throw ShapeError(str("scatter: a row of ", rows, " does not fit x ", x));
    call.op().input = rows;
  }
  call.op().output = x;
  return call.start();
}

Work ProcessGroup::send(const Tensor& x, int to, int tag, CallOptions options) const {
  Call call(group_, Collective::send, std::move(options));
  call.tensor(x);
  call.peer(to, false);
  call.op().tag = tag;
  call.op().input = x;
  return call.start();
}

Work ProcessGroup::receive(const Tensor& x, int from, int tag, CallOptions options) const {
  Call call(group_, Collective::receive, std::move(options));
  call.tensor(x);
  call.peer(from, false);
  call.op().tag = tag;
  call.op().output = x;
  return call.start();
}

Transfer send_to(const Tensor& x, int peer, int tag) {
  return {.tensor = x, .peer = peer, .is_send = true, .tag = tag};
}
Transfer receive_from(const Tensor& x, int peer, int tag) {
  return {.tensor = x, .peer = peer, .is_send = false, .tag = tag};
}

Work ProcessGroup::exchange(std::vector<Transfer> transfers, CallOptions options) const {
  Call call(group_, Collective::exchange, std::move(options));
  for (const Transfer& transfer : transfers) {
    call.tensor(transfer.tensor);
    call.peer(transfer.peer, false);
  }
  call.op().peer = -1;
  call.op().transfers = std::move(transfers);
  return call.start();
}

Work ProcessGroup::all_gather_into(const Tensor& out, const Tensor& x, const std::vector<std::int64_t>& rows,
                                   CallOptions options) const {
  Call call(group_, Collective::all_gather, std::move(options));
  call.tensor(x);
  call.tensor(out);
  if (rows.empty()) {
    call.fits(out, x, size());
  } else {
    call.same_dtype(out, x);
    call.op().parts_out = call.parts("out", out, rows);
    call.holds(x, call.op().parts_out.empty() ? out.numel() / size() : call.op().parts_out[call.index()]);
  }
  call.op().input = x;
  call.op().output = out;
  return call.start();
}

Work ProcessGroup::reduce_scatter_into(const Tensor& out, const Tensor& x, Reduce reduce,
                                       const std::vector<std::int64_t>& rows, CallOptions options) const {
  Call call(group_, Collective::reduce_scatter, std::move(options));
  call.tensor(x);
  call.tensor(out);
  call.reduce(reduce, x.dtype());
  if (rows.empty()) {
    call.fits(x, out, size());
  } else {
    call.same_dtype(out, x);
    call.op().parts_in = call.parts("x", x, rows);
    call.holds(out, call.op().parts_in.empty() ? x.numel() / size() : call.op().parts_in[call.index()]);
  }
  call.apart(out, x);
  call.op().input = x;
  call.op().output = out;
  return call.start();
}

Work ProcessGroup::all_to_all_into(const Tensor& out, const Tensor& x, const std::vector<std::int64_t>& given,
                                   const std::vector<std::int64_t>& taken, CallOptions options) const {
  Call call(group_, Collective::all_to_all, std::move(options));
  call.tensor(x);
  call.tensor(out);
  if (given.empty() && taken.empty()) {
    call.rows(x);
    call.fits(out, x, 1);
  } else {
    call.same_dtype(out, x);
    call.op().parts_in = call.parts("x", x, given, false);
    call.op().parts_out = call.parts("out", out, taken, false);
  }
  call.apart(out, x);
  call.op().input = x;
  call.op().output = out;
  return call.start();
}

void ProcessGroup::barrier(CallOptions options) const {
  Call(group_, Collective::barrier, std::move(options)).start().wait();
}

ProcessGroup ProcessGroup::subgroup(const std::vector<int>& ranks) const {
  if (!group_) throw ValueError("subgroup: the process group is undefined; distributed::init() makes one");
  return ProcessGroup(group_->split(ranks));
}

}  // namespace minima::distributed
