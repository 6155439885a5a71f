#include <minima/distributed/in_process.h>

#include <minima/autograd/mode.h>
#include <minima/distributed/backends/backend.h>
#include <minima/distributed/backends/collective.h>
#include <minima/distributed/backends/reduce.h>
#include <minima/distributed/board.h>
#include <minima/distributed/process_group.h>
#include <minima/distributed/store/error.h>
#include <minima/io/states/board.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

namespace minima::distributed {

namespace {

/// Synchronises the threads of a group.
class Meeting {
 public:
  explicit Meeting(int size) : size_(size), boards_(minima::detail::in_memory_boards(size)) {}

  Ref<minima::detail::Board> board(int rank) const { return boards_[static_cast<std::size_t>(rank)]; }

  /// The last rank to arrive performs the operation for all.
  void meet(Operation& operation, int rank) {
    std::unique_lock guard(mutex_);
    if (is_broken_) throw DistributedError("another rank has failed");
    Turn& turn = turns_[operation.sequence];
    turn.operations.resize(static_cast<std::size_t>(size_));
    turn.operations[static_cast<std::size_t>(rank)] = &operation;
    if (++turn.come == size_) {
      turn.difference = difference(turn);
      try {
        if (turn.difference.empty()) detail::run_for_all(turn.operations);
      } catch (const std::exception& error) {
        turn.difference = error.what();  // every rank throws it
      }
      turn.is_done = true;
      changed_.notify_all();
    } else {
      wait(guard, operation, [&] { return turn.is_done; });
    }
    const std::string difference = turn.difference;
    if (++turn.gone == size_) turns_.erase(operation.sequence);
    if (!difference.empty()) throw DistributedError(difference);
  }

  /// Sends a copy without waiting for the receiver, so two ranks may send to each other first.
  void send(const Operation& operation, int from) {
    const Tensor copy = clone(operation.input.detach());
    const std::lock_guard guard(mutex_);
    parcels_[{from, operation.peer, operation.tag, ++sent_}] = copy;
    changed_.notify_all();
  }

  void receive(Operation& operation, int to) {
    std::unique_lock guard(mutex_);
    auto parcel = parcels_.end();
    wait(guard, operation, [&] { return (parcel = first(operation, to)) != parcels_.end(); });
    const Tensor x = parcel->second;
    parcels_.erase(parcel);
    const Tensor& target = operation.output;
    if (x.numel() != target.numel() || x.dtype() != target.dtype())
      throw ShapeError(str("receive: rank ", operation.peer, " sends ", x, ", but there is room for ", target));
    std::memcpy(target.raw_data(), x.raw_data(), static_cast<std::size_t>(target.numel()) * target.itemsize());
  }

  void leave(int rank) {
    const std::lock_guard guard(mutex_);
    left_.push_back(rank);
    changed_.notify_all();
  }

  std::vector<int> late(const Operation& operation) {
    const std::lock_guard guard(mutex_);
    return is_broken_ ? late_ : missing(operation);
  }

  std::shared_ptr<Meeting> part(const std::string& name, int size) {
    const std::lock_guard guard(mutex_);
    auto& meeting = parts_[name];
    if (!meeting) meeting = std::make_shared<Meeting>(size);
    return meeting;
  }

 private:
  struct Turn {
    std::vector<Operation*> operations;
    int come = 0, gone = 0;
    bool is_done = false;
    std::string difference;
  };
  using Parcels = std::map<std::tuple<int, int, int, std::int64_t>, Tensor>;

  /// After a failure all waits fail, since operations hold pointers to other ranks' tensors.
  template <class Condition>
  void wait(std::unique_lock<std::mutex>& guard, const Operation& operation, Condition condition) {
    const auto limit = std::chrono::duration<double>(operation.timeout);
    const bool in_time =
        changed_.wait_for(guard, limit, [&] { return condition() || is_broken_ || is_hopeless(operation); });
    if (condition()) return;
    if (!is_broken_) late_ = missing(operation);
    is_broken_ = true;
    changed_.notify_all();
    throw DistributedError(in_time ? std::string("a rank has left or failed")
                                   : str("no answer within ", operation.timeout, " s"));
  }

  std::vector<int> missing(const Operation& operation) {
    if (operation.kind == Collective::exchange) {
      std::vector<int> peers;
      for (const Transfer& transfer : operation.transfers)
        if (!transfer.is_send && std::find(peers.begin(), peers.end(), transfer.peer) == peers.end())
          peers.push_back(transfer.peer);
      return peers;
    }
    if (operation.is_point_to_point()) return {operation.peer};
    std::vector<int> ranks;
    const auto turn = turns_.find(operation.sequence);
    for (int r = 0; turn != turns_.end() && turn->second.difference.empty() && r < size_; ++r)
      if (!turn->second.operations[static_cast<std::size_t>(r)]) ranks.push_back(r);
    return ranks;
  }

  bool is_hopeless(const Operation& operation) {
    if (left_.empty()) return false;
    const std::vector<int> ranks = missing(operation);
    return std::any_of(left_.begin(), left_.end(),
                       [&](int r) { return std::find(ranks.begin(), ranks.end(), r) != ranks.end(); });
  }

  static std::string difference(const Turn& turn) {
    const std::string ours = signature(*turn.operations[0]);
    std::string text;
    for (std::size_t r = 1; r < turn.operations.size(); ++r)
      if (const std::string theirs = signature(*turn.operations[r]); theirs != ours)
        text += str(text.empty() ? "desync: rank 0 does " + ours : "", "; rank ", r, " does ", theirs);
    return text;
  }

  Parcels::iterator first(const Operation& operation, int to) {
    return std::find_if(parcels_.begin(), parcels_.end(), [&](const auto& parcel) {
      const auto& [from, target, tag, sequence] = parcel.first;
      return from == operation.peer && target == to && tag == operation.tag;
    });
  }

  const int size_;
  const std::vector<Ref<minima::detail::Board>> boards_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::int64_t, Turn> turns_;
  Parcels parcels_;
  std::int64_t sent_ = 0;
  std::map<std::string, std::shared_ptr<Meeting>> parts_;
  std::vector<int> left_, late_;
  bool is_broken_ = false;
};

class InProcess final : public Backend, public detail::BoardSource {
 public:
  InProcess(std::shared_ptr<Meeting> meeting, int rank) : meeting_(std::move(meeting)), rank_(rank) {}
  ~InProcess() override { meeting_->leave(rank_); }

  const char* name() const override { return "in-process"; }
  Ref<minima::detail::Board> board() override { return meeting_->board(rank_); }
  void post(Operation& operation) override {
    if (operation.kind == Collective::send) meeting_->send(operation, rank_);
    for (const Transfer& transfer : operation.transfers)
      if (transfer.is_send) meeting_->send(part_of(operation, transfer), rank_);
  }
  void run(Operation& operation) override {
    if (operation.kind == Collective::receive) meeting_->receive(operation, rank_);
    else if (operation.kind == Collective::exchange) receive_all(operation);
    else if (operation.kind != Collective::send) meeting_->meet(operation, rank_);
  }
  void abort() noexcept override {}
  std::vector<int> late(const Operation& operation) override { return meeting_->late(operation); }
  Ref<Backend> split(const std::vector<int>& ranks, int index, const std::string& name, double) override {
    return Ref<Backend>(new InProcess(meeting_->part(name, static_cast<int>(ranks.size())), index));
  }

 private:
  static Operation part_of(const Operation& exchange, const Transfer& transfer) {
    Operation one;
    one.kind = transfer.is_send ? Collective::send : Collective::receive;
    one.peer = transfer.peer;
    one.tag = transfer.tag;
    (transfer.is_send ? one.input : one.output) = transfer.tensor;
    one.timeout = exchange.timeout;
    return one;
  }
  void receive_all(const Operation& exchange) {
    for (const Transfer& transfer : exchange.transfers) {
      if (transfer.is_send) continue;
      Operation one = part_of(exchange, transfer);
      meeting_->receive(one, rank_);
    }
  }

  std::shared_ptr<Meeting> meeting_;
  int rank_;
};

/// A group of one rank, on any device: outputs are inputs.
class Alone final : public Backend, public detail::BoardSource {
 public:
  explicit Alone(Device device) : device_(device), board_(minima::detail::in_memory_boards(1)[0]) {}
  const char* name() const override { return "alone"; }
  Ref<minima::detail::Board> board() override { return board_; }
  Device device() const override { return device_; }
  bool is_capturable() const override { return true; }
  /// Runs on the caller's thread, so that GPU copies are in its stream's order.
  void post(Operation& op) override {
    if (!op.input.defined() || !op.output.defined() || op.input.is_same(op.output)) return;
    const NoGrad guard;
    copy_(op.output, reshape(op.input.detach(), op.output.shape()));
  }
  void run(Operation&) override {}
  bool receive(const Operation&) override { return true; }
  void abort() noexcept override {}
  Ref<Backend> split(const std::vector<int>&, int, const std::string&, double) override {
    return Ref<Backend>(new Alone(device_));
  }

 private:
  Device device_;
  Ref<minima::detail::Board> board_;
};

}  // namespace

namespace detail {
ProcessGroup group_of_one(Device device, double timeout) {
  return ProcessGroup(Ref<Backend>(new Alone(device)), 0, 1, timeout);
}
}  // namespace detail

std::vector<ProcessGroup> in_process_groups(int size, double timeout) {
  if (size < 1) throw ValueError(str("in_process_groups: needs at least one rank, got ", size));
  minima::detail::check_count("in_process_groups", "size", size, 1, 65536);
  minima::detail::check_number("in_process_groups", "timeout", timeout, {.low = 0, .has_high = true});
  auto meeting = std::make_shared<Meeting>(size);
  std::vector<ProcessGroup> groups;
  groups.reserve(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank)
    groups.emplace_back(Ref<Backend>(new InProcess(meeting, rank)), rank, size, timeout);
  return groups;
}

}  // namespace minima::distributed
