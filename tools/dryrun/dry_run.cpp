#include "tools/dryrun/dry_run.h"

#include "simulated/simulation.h"
#include "tools/dryrun/labels.h"
#include "tools/dryrun/tally.h"

#include <minima/ops/cudnn/settings.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/stream.h>
#include <minima/tensor/memory/memory_snapshot.h>
#include <minima/tensor/storage/allocator.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

namespace minima {

namespace {

/// The live blocks of the device, and how much memory each purpose had when the most was allocated.
class Blocks {
 public:
  explicit Blocks(Device device) : device_(device) {}

  simulated::Extent find(const void* address) {
    const MemoryStats stats = memory_stats(device_);
    if (stats.allocations != seen_.allocations || stats.allocated != seen_.allocated) refresh(stats);
    const auto after = blocks_.upper_bound(reinterpret_cast<std::uint64_t>(address));
    if (after == blocks_.begin()) return {};
    const auto& [start, bytes] = *std::prev(after);
    return reinterpret_cast<std::uint64_t>(address) < start + bytes
               ? simulated::Extent{reinterpret_cast<const void*>(start), bytes}
               : simulated::Extent{};
  }
  const MemoryStats& fullest() const { return fullest_; }

 private:
  void refresh(const MemoryStats& stats) {
    seen_ = stats;
    if (stats.allocated > fullest_.allocated) fullest_ = stats;
    blocks_.clear();
    for (const MemorySnapshot::Segment& segment : memory_snapshot(device_).segments)
      for (const MemorySnapshot::Block& block : segment.blocks)
        if (block.state == MemorySnapshot::Block::State::used)
          blocks_[block.address] = static_cast<std::size_t>(block.requested);
  }

  Device device_;
  MemoryStats seen_{}, fullest_{};
  std::map<std::uint64_t, std::size_t> blocks_;
};

}  // namespace

DryRun::DryRun(Device device) : device_(device) {
  if (!device.is_cuda()) throw DeviceError(str("DryRun: ", device, " is no GPU; pass Device::cuda()"));
  simulated::set_dry(true);
}

DryRun::~DryRun() {
  try {
    synchronize(device_);  // what is pending would compute
  } catch (const Error&) {
    // A step that failed is reported by run().
  }
  simulated::set_dry(false);
}

void DryRun::will_read(const Tensor& x, double value) {
  if (!x.defined() || x.numel() != 1) throw ValueError(str("DryRun::will_read: x must have one element: ", x));
  dispatch<all_types>(x.dtype(), "DryRun::will_read", [&]<class T>() {
    const T converted = static_cast<T>(value);
    simulated::set_dry_value(x.raw_data(), &converted, sizeof converted);
  });
}

DryRunReport DryRun::run(nn::ModuleBase& network, const Function<Tensor()>& step, int warmup) {
  const Labels labels(network);
  Blocks blocks(device_);
  simulated::set_extents([&](const void* address) { return blocks.find(address); });
  struct Restore {
    ~Restore() { simulated::set_extents(nullptr); }
  } const restore;
  const auto once = [&](const simulated::Census& census) {
    try {
      const Tensor loss = step();
      if (loss.defined() && loss.numel() == 1 && loss.device() == device_) will_read(loss, 1);
    } catch (Error& error) {
      if (const simulated::Refused refused = simulated::take_refused_read(); refused.address) {
        const simulated::Label by = census.last_user(refused.address);
        error.add_note(str("in a dry run nothing is computed, so the ", refused.bytes, " bytes that ",
                           by.op.empty() ? "an earlier step" : by.op, by.module.empty() ? "" : " of ", by.module,
                           " computed cannot be read; DryRun::will_read names a value to read"));
      }
      throw;
    }
  };
  for (int i = 0; i < warmup; ++i) {
    const simulated::Census census;
    once(census);
  }
  synchronize(device_);

  const simulated::Census census;
  once(census);
  DryRunReport report;
  report.gpu = simulated::key_of_gpu(device_.index);
  report.host_calls = census.calls();  // before the wait for the pieces
  report.host_ms = 1e3 * census.host_seconds();
  report.pieces = census.pieces();
  double last = 0;
  for (const simulated::Piece& piece : report.pieces) last = std::max(last, piece.end);
  report.predicted_ms = std::max(1e3 * (last - census.start()), report.host_ms);
  report.peak_bytes = memory_stats(device_).peak_allocated;
  std::copy_n(std::begin(blocks.fullest().allocated_by), purpose_count, report.peak_by.begin());
  tally(report, cudnn::usage().refusal);
  return report;
}

}  // namespace minima
