#include <minima/distributed/pretend.h>

#include <minima/autograd/mode.h>
#include <minima/distributed/backends/backend.h>
#include <minima/distributed/process_group.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/zero_memory.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace minima::distributed {

struct Traffic::Counts {
  std::array<Count, static_cast<std::size_t>(Collective::exchange) + 1> kinds{};
};

/// Writes the counts.
class CountedTraffic {
 public:
  static void add(const Traffic& traffic, Collective kind, std::int64_t bytes) {
    Traffic::Count& count = traffic.counts_->kinds[static_cast<std::size_t>(kind)];
    ++count.calls;
    count.bytes += bytes;
  }
};

Traffic::Traffic() : counts_(std::make_shared<Counts>()) {}
Traffic::Count Traffic::of(Collective kind) const { return counts_->kinds[static_cast<std::size_t>(kind)]; }
std::int64_t Traffic::bytes() const {
  std::int64_t sum = 0;
  for (const Count& count : counts_->kinds) sum += count.bytes;
  return sum;
}
void Traffic::reset() { *counts_ = {}; }

namespace {

std::int64_t size_in_bytes(const Tensor& x) {
  return x.defined() ? x.numel() * static_cast<std::int64_t>(x.itemsize()) : 0;
}

class Pretended final : public Backend {
 public:
  Pretended(int rank, int size, PretendOptions options) : rank_(rank), size_(size), options_(std::move(options)) {}

  const char* name() const override { return "pretended"; }
  Device device() const override { return options_.device; }
  bool is_capturable() const override { return true; }
  /// Runs on the caller's thread, so that a GPU's work is in its stream's order.
  void post(Operation& op) override {
    CountedTraffic::add(options_.traffic, op.kind, sent_bytes(op));
    const NoGrad guard;
    answer(op);
  }
  void run(Operation&) override {}
  bool receive(const Operation&) override { return true; }
  void abort() noexcept override {}
  Ref<Backend> split(const std::vector<int>& ranks, int index, const std::string&, double) override {
    return Ref<Backend>(new Pretended(index, static_cast<int>(ranks.size()), options_));
  }

 private:
  std::int64_t sent_bytes(const Operation& op) const {
    const std::int64_t in = size_in_bytes(op.input), out = size_in_bytes(op.output), others = size_ - 1;
    const bool is_root = op.peer == rank_;
    switch (op.kind) {
      case Collective::all_reduce: {
        const std::int64_t part = (op.input.numel() + size_ - 1) / size_,
                           begin = std::min(rank_ * part, op.input.numel());
        const std::int64_t own = std::min(part, op.input.numel() - begin);
        return 2 * (op.input.numel() - own) * static_cast<std::int64_t>(op.input.itemsize());
      }
      case Collective::all_gather: return in * others;
      case Collective::reduce_scatter: return in - out;
      case Collective::all_to_all:
        if (!op.parts_in.empty())
          return in - op.parts_in[static_cast<std::size_t>(rank_)] * static_cast<std::int64_t>(op.input.itemsize());
        return in / size_ * others;
      case Collective::broadcast: return is_root && size_ > 1 ? in : 0;
      case Collective::gather: return is_root ? 0 : in;
      case Collective::scatter: return is_root ? in - out : 0;
      case Collective::send: return in;
      case Collective::exchange: {
        std::int64_t sum = 0;
        for (const Transfer& transfer : op.transfers) sum += transfer.is_send ? size_in_bytes(transfer.tensor) : 0;
        return sum;
      }
      case Collective::barrier:
      case Collective::receive: return 0;
    }
    return 0;
  }

  void answer(const Operation& op) const {
    switch (op.kind) {
      case Collective::all_reduce: return reduce(op.output, op.reduce);
      case Collective::all_gather:
      case Collective::gather: return gather(op);
      case Collective::reduce_scatter:
        copy_(op.output, reshape(part(op.input, op.parts_in, rank_), op.output.shape()));
        return reduce(op.output, op.reduce);
      case Collective::all_to_all:
        if (!op.is_uneven()) {
          const std::int64_t width = op.output.numel() / size_;
          copy_(reshape(op.output, {size_, width}),
                expand(reshape(part(op.input, {}, rank_), {1, width}), {size_, width}));
          return;
        }
        minima::detail::zero_memory(op.output);
        copy_(part(op.output, op.parts_out, rank_), part(op.input, op.parts_in, rank_));
        return;
      case Collective::scatter:
        if (op.input.defined()) copy_(op.output, reshape(part(op.input, {}, rank_), op.output.shape()));
        else minima::detail::zero_memory(op.output);
        return;
      case Collective::receive: return minima::detail::zero_memory(op.output);
      case Collective::exchange:
        for (const Transfer& transfer : op.transfers)
          if (!transfer.is_send) minima::detail::zero_memory(transfer.tensor);
        return;
      case Collective::broadcast:
      case Collective::send:
      case Collective::barrier: return;
    }
  }

  /// The elements of one rank in a tensor that has those of all.
  Tensor part(const Tensor& whole, const std::vector<std::int64_t>& parts, int rank) const {
    const Tensor flat = reshape(whole, {-1});
    const std::int64_t even = whole.numel() / size_;
    const std::int64_t begin =
        parts.empty() ? rank * even : std::accumulate(parts.begin(), parts.begin() + rank, std::int64_t{0});
    return narrow(flat, 0, begin, parts.empty() ? even : parts[static_cast<std::size_t>(rank)]);
  }

  void gather(const Operation& op) const {
    if (!op.output.defined()) return;
    const Tensor own = reshape(op.input.detach(), {-1});  // perhaps a part of the result
    const bool is_there = part(op.output, op.parts_out, rank_).raw_data() == own.raw_data();
    if (op.parts_out.empty()) {
      const Tensor rows = reshape(op.output, {size_, own.numel()});
      const auto fill = [&](int from, int to) {
        if (from < to)
          copy_(narrow(rows, 0, from, to - from), expand(reshape(own, {1, own.numel()}), {to - from, own.numel()}));
      };
      fill(0, is_there ? rank_ : size_);
      if (is_there) fill(rank_ + 1, size_);
      return;
    }
    for (int r = 0; r < size_; ++r)
      if (r != rank_) minima::detail::zero_memory(part(op.output, op.parts_out, r));
    if (!is_there) copy_(part(op.output, op.parts_out, rank_), own);
  }

  void reduce(const Tensor& x, Reduce how) const {
    if (x.dtype() == boolean) return;
    if (how == Reduce::sum) copy_(x, x * size_);
    if (how == Reduce::product) copy_(x, pow(x, size_));
  }

  int rank_, size_;
  PretendOptions options_;
};

}  // namespace

ProcessGroup pretend(int rank, int size, PretendOptions options) {
  minima::detail::check_count("pretend", "size", size, 1);
  if (rank < 0 || rank >= size) throw ValueError(str("pretend: there is no rank ", rank, " of ", size));
  return ProcessGroup(Ref<Backend>(new Pretended(rank, size, std::move(options))), rank, size);
}

}  // namespace minima::distributed
