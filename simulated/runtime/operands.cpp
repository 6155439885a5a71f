#include "simulated/runtime/operands.h"

#include "simulated/machine/kernel_counts.h"
#include "simulated/simulation.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace simulated {

namespace {

ExtentSource& extent_source() {
  static ExtentSource source;
  return source;
}

Extent extent_of(const Memory& memory, const void* address) {
  if (extent_source())
    if (const Extent extent = extent_source()(address); extent.bytes > 0) return extent;
  const auto place = memory.find(address);
  return place ? Extent{place->start, place->bytes} : Extent{};
}

struct Operand {
  const char* first;
  const char* end;
  bool written;
};

}  // namespace

void set_extents(ExtentSource source) { extent_source() = std::move(source); }
bool has_extents() { return static_cast<bool>(extent_source()); }

Cost kernel_cost(const Memory& memory, const std::string& key, const BoundKernel& kernel, const Launch& launch) {
  std::map<const void*, Operand> operands;  // by the allocation's start
  for (const void* const word : kernel.words) {
    if (!word || !memory.is_device_address(word)) continue;
    const Extent extent = extent_of(memory, word);
    if (!extent.start) continue;
    const char* const address = static_cast<const char*>(word);
    const bool written = std::find(kernel.written.begin(), kernel.written.end(), word) != kernel.written.end();
    const auto [found, is_new] = operands.try_emplace(
        extent.start, Operand{address, static_cast<const char*>(extent.start) + extent.bytes, written});
    if (is_new) continue;
    found->second.first = std::min(found->second.first, address);
    found->second.written |= written;
  }
  const KernelCounts counts = counts_of(key);
  const auto [grid, block, shared_bytes] = launch;
  Cost cost{.kind = WorkKind::kernel,
            .blocks = static_cast<double>(grid.x) * grid.y * grid.z,
            .threads = block.x * block.y * block.z,
            .shared_bytes = shared_bytes + static_cast<std::size_t>(counts.shared_bytes),
            .registers = counts.registers,
            .in_flight = counts.load_bytes * counts.loads_in_flight,
            .sectors = counts.sectors,
            .counted = counts.counted};
  for (const auto& [start, operand] : operands)
    (operand.written ? cost.bytes_written : cost.bytes_read) += static_cast<double>(operand.end - operand.first);
  const double operands_bytes = cost.bytes();
  if (cost.bytes_written > 0) {  // directions are known, but not whether what is written is read before
    cost.bytes_read = counts.counted ? std::max(cost.bytes_read, counts.read * operands_bytes) : cost.bytes_read;
  } else {
    cost.bytes_read = counts.read * operands_bytes;
    cost.bytes_written = counts.written * operands_bytes;
  }
  const double most = counts.thread_bytes * cost.blocks * cost.threads;
  if (const double all = cost.bytes(); most > 0 && all > most) {
    cost.bytes_read *= most / all;
    cost.bytes_written *= most / all;
  }
  cost.issue_slots = counts.issue_slots * cost.bytes();
  return cost;
}

}  // namespace simulated
