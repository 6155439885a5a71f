#include <minima/distributed/pretend.h>

#include <minima/autograd/mode.h>
#include <minima/distributed/backends/backend.h>
#include <minima/distributed/backends/collective.h>
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
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace minima::distributed {

struct Traffic::Counts {
  std::array<Count, std::size(collectives)> kinds{};
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
  /// Another thread would free tensors late, since a step does not wait for it.
  bool runs_at_once() const override { return true; }
  /// Runs on the caller's thread, so that a GPU's work is in its stream's order.
  void post(Operation& op) override {
    CountedTraffic::add(options_.traffic, op.kind, sent_bytes(op));
    if (!options_.values) return;
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
    std::int64_t bytes = op.kind == Collective::send ? size_in_bytes(op.input) : 0;
    for (const Transfer& transfer : op.transfers) bytes += transfer.is_send ? size_in_bytes(transfer.tensor) : 0;
    if (op.is_point_to_point() || !op.input.defined()) return bytes;
    std::int64_t elements = 0;
    if (op.kind == Collective::all_reduce) {  // in parts, of which each rank sums and passes on its own
      const std::int64_t count = op.input.numel(), part = (count + size_ - 1) / size_;
      elements = 2 * (count - std::clamp<std::int64_t>(count - rank_ * part, 0, part));
    } else if (op.kind == Collective::broadcast) {  // the others pass it on
      elements = op.peer == rank_ && size_ > 1 ? op.input.numel() : 0;
    } else {
      const std::vector<Portion> given = given_portions(op, rank_, size_);
      for (int r = 0; r < size_; ++r) elements += r == rank_ ? 0 : given[static_cast<std::size_t>(r)].count;
    }
    return elements * static_cast<std::int64_t>(op.input.itemsize());
  }

  void answer(const Operation& op) const {
    for (const Transfer& transfer : op.transfers)
      if (!transfer.is_send) minima::detail::zero_memory(transfer.tensor);
    if (!op.output.defined()) return;
    if (!op.input.defined()) return minima::detail::zero_memory(op.output);  // received, or from the root's rows
    const CollectiveTraits& traits = traits_of(op.kind);
    const bool is_in_place = op.input.is_same(op.output);
    const Tensor own = is_in_place ? op.input : elements(op.input, given_portions(op, rank_, size_)[index()]);
    if (traits.output.has_rows) return fill_rows(op, own);
    if (!is_in_place) copy_(op.output, reshape(own, op.output.shape()));
    if (traits.reduces) reduce(op.output, op.reduce);
  }

  std::size_t index() const { return static_cast<std::size_t>(rank_); }

  static Tensor elements(const Tensor& x, const Portion& portion) {
    return narrow(reshape(x.detach(), {-1}), 0, portion.begin, portion.count);
  }

  /// Writes copies of `own` for all ranks, or, if ranks have parts of different sizes, this rank's part and zeros.
  void fill_rows(const Operation& op, const Tensor& own) const {
    const std::vector<Portion> taken = taken_portions(op, rank_, size_);
    const bool is_there = elements(op.output, taken[index()]).raw_data() == own.raw_data();
    if (!op.is_uneven()) {
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
      if (r != rank_) minima::detail::zero_memory(elements(op.output, taken[static_cast<std::size_t>(r)]));
    if (!is_there) copy_(elements(op.output, taken[index()]), own);
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
