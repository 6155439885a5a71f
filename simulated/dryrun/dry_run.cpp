#include "simulated/dryrun/dry_run.h"

#include "simulated/dryrun/labels.h"
#include "simulated/dryrun/tally.h"
#include "simulated/simulation.h"

#include <minima/ops/cudnn/usage.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/memory/memory_snapshot.h>
#include <minima/tensor/storage/allocator.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

namespace simulated {

using namespace minima;

namespace {

/// The live blocks of the device, and how much memory each purpose had when the most was allocated. Of what programs
/// leave as activations, parameters and gradients are known from the network.
class Blocks {
 public:
  Blocks(Device device, const nn::ModuleBase& network) : device_(device), network_(network) {}

  Extent find(const void* address) {
    const MemoryStats stats = memory_stats(device_);
    if (stats.allocations != seen_.allocations || stats.allocated != seen_.allocated) refresh(stats);
    const auto after = blocks_.upper_bound(reinterpret_cast<std::uint64_t>(address));
    if (after == blocks_.begin()) return {};
    const auto& [start, bytes] = *std::prev(after);
    return reinterpret_cast<std::uint64_t>(address) < start + bytes
               ? Extent{reinterpret_cast<const void*>(start), bytes}
               : Extent{};
  }
  /// At the end of a step: tells parameters and gradients from activations, if the step needed the most so far.
  void end_step() {
    if (!is_new_) return;
    is_new_ = false;
    for (const Tensor& parameter : network_.parameters()) {
      move(parameter, Purpose::parameters);
      move(parameter.grad(), Purpose::gradients);
    }
  }
  const std::array<std::int64_t, purpose_count>& fullest_by() const { return fullest_by_; }

 private:
  /// Counts the block of a tensor, if it was alive, as the purpose's. One of another size held something else before.
  void move(const Tensor& tensor, Purpose to) {
    if (!tensor.defined() || tensor.device() != device_) return;
    const auto block = fullest_blocks_.find(reinterpret_cast<std::uint64_t>(tensor.raw_data()));
    if (block == fullest_blocks_.end() ||
        block->second.requested != tensor.numel() * static_cast<std::int64_t>(tensor.itemsize()))
      return;
    fullest_by_[static_cast<std::size_t>(Purpose::activations)] -= block->second.bytes;
    fullest_by_[static_cast<std::size_t>(to)] += block->second.bytes;
    fullest_blocks_.erase(block);  // tied parameters share one
  }

  void refresh(const MemoryStats& stats) {
    seen_ = stats;
    const bool is_fullest = stats.allocated > most_;
    if (is_fullest) {
      is_new_ = true;
      most_ = stats.allocated;
      std::copy_n(std::begin(stats.allocated_by), purpose_count, fullest_by_.begin());
      fullest_blocks_.clear();
    }
    blocks_.clear();
    for (const MemorySnapshot::Segment& segment : memory_snapshot(device_).segments)
      for (const MemorySnapshot::Block& block : segment.blocks) {
        if (block.state != MemorySnapshot::Block::State::used) continue;
        blocks_[block.address] = static_cast<std::size_t>(block.requested);
        if (is_fullest && block.purpose == Purpose::activations) fullest_blocks_[block.address] = block;
      }
  }

  Device device_;
  const nn::ModuleBase& network_;
  MemoryStats seen_{};
  std::map<std::uint64_t, std::size_t> blocks_;
  std::int64_t most_ = 0;
  bool is_new_ = false;  ///< the most was allocated in this step
  std::array<std::int64_t, purpose_count> fullest_by_{};
  std::map<std::uint64_t, MemorySnapshot::Block> fullest_blocks_;  ///< of activations, by address
};

}  // namespace

DryRun::DryRun(Device device) : device_(device) {
  if (!device.is_cuda()) throw DeviceError(str("DryRun: ", device, " is no GPU; pass Device::cuda()"));
  set_dry(true);
}

DryRun::~DryRun() {
  try {
    synchronize(device_);  // what is pending would compute
  } catch (const Error&) {
    // A step that failed is reported by run().
  }
  set_dry(false);
}

void DryRun::will_read(const Tensor& x, double value) {
  if (!x.defined() || x.numel() != 1) throw ValueError(str("DryRun::will_read: x must have one element: ", x));
  dispatch<all_types>(x.dtype(), "DryRun::will_read", [&]<class T>() {
    const T converted = static_cast<T>(value);
    set_dry_value(x.raw_data(), &converted, sizeof converted);
  });
}

void DryRun::announce(const Tensor& loss) const {
  if (loss.defined() && loss.numel() == 1 && loss.device() == device_) will_read(loss, 1);
}

double DryRun::program_ms(const Function<Tensor()>& step) {
  using Clock = std::chrono::steady_clock;
  double least = std::numeric_limits<double>::infinity();
  const auto first = Clock::now();
  do {
    const double in_calls = seconds_in_calls();
    const auto begin = Clock::now();
    const Tensor loss = step();
    const double taken = std::chrono::duration<double>(Clock::now() - begin).count();
    least = std::min(least, taken - (seconds_in_calls() - in_calls));
    announce(loss);
  } while (Clock::now() - first < std::chrono::milliseconds(50));
  return 1e3 * least;
}

DryRunReport DryRun::run(nn::ModuleBase& network, const Function<Tensor()>& step, int warmup) {
  const Labels labels(network);
  Blocks blocks(device_, network);
  set_extents([&](const void* address) { return blocks.find(address); });
  struct Restore {
    ~Restore() { set_extents(nullptr); }
  } const restore;
  const auto once = [&](const Census& census) {
    try {
      const Tensor loss = step();
      announce(loss);
      blocks.end_step();
    } catch (Error& error) {
      if (const Refused refused = take_refused_read(); refused.address) {
        const Label by = census.last_user(refused.address);
        error.add_note(str("in a dry run nothing is computed, so the ", refused.bytes, " bytes that ",
                           by.op.empty() ? "an earlier step" : by.op, by.module.empty() ? "" : " of ", by.module,
                           " computed cannot be read; DryRun::will_read names a value to read"));
      }
      throw;
    }
  };
  for (int i = 0; i < warmup; ++i) {
    const Census census;
    once(census);
  }
  synchronize(device_);

  const Census census;
  once(census);
  DryRunReport report;
  report.gpu = key_of_gpu(device_.index);
  report.host_calls = census.calls();  // before the wait for the pieces
  report.host_ms = 1e3 * census.host_seconds();
  report.pieces = census.pieces();
  double last = 0;
  for (const Piece& piece : report.pieces) last = std::max(last, piece.end);
  report.predicted_ms = std::max(1e3 * (last - census.start()), report.host_ms);
  report.peak_bytes = memory_stats(device_).peak_allocated;
  report.peak_by = blocks.fullest_by();
  tally(report, cudnn::usage().refusal);
  return report;
}

}  // namespace simulated
