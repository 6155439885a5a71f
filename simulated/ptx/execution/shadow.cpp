#include "simulated/ptx/execution/shadow.h"

namespace simulated::ptx {

namespace {

constexpr std::uint8_t is_atomic = 1;
constexpr std::uint8_t of_lanes = 2;  ///< several lanes of a warp have read it
constexpr std::uint8_t of_warps = 4;  ///< several warps have

}  // namespace

Shadow::Cell& Shadow::cell(std::uint64_t granule) {
  const std::uint64_t number = granule / cells_per_page;
  if (number != last_number_) {
    std::unique_ptr<Cell[]>& page = pages_[number];
    if (!page) page = std::make_unique<Cell[]>(cells_per_page);
    last_page_ = page.get();
    last_number_ = number;
  }
  return last_page_[granule % cells_per_page];
}

/// Interval 0 is before the launch.
bool Shadow::ordered(const Stamp& before, const Moment& now) const {
  if (before.interval == 0) return true;
  if (before.interval < now.first_interval) return before.interval <= acquired_;
  if (before.interval != now.interval) return true;
  if (before.flags & of_warps) return false;
  if (before.thread / 32 != now.thread / 32) return false;
  if (before.warp_interval != now.warp_interval) return true;
  return before.thread == now.thread && !(before.flags & of_lanes);
}

Shadow::Conflict Shadow::conflict(const Stamp& before, const Moment& now, bool wrote) const {
  return {.found = true,
          .wrote = wrote,
          .other_block = before.interval < now.first_interval,
          .thread = before.thread,
          .statement = before.statement};
}

template <class F> Shadow::Conflict Shadow::for_cells(std::uint64_t address, unsigned bytes, F f) {
  for (std::uint64_t granule = address / granule_; granule * granule_ < address + bytes; ++granule)
    if (const Conflict found = f(cell(granule)); found.found) return found;
  return {};
}

Shadow::Conflict Shadow::write(std::uint64_t address, unsigned bytes, const Moment& now, bool same_value) {
  return for_cells(address, bytes, [&](Cell& cell) -> Conflict {
    if (!ordered(cell.read, now)) return conflict(cell.read, now, false);
    if (!same_value && !ordered(cell.write, now)) return conflict(cell.write, now, true);
    cell.write = {now.interval, now.statement, now.thread, now.warp_interval, 0};
    return {};
  });
}

Shadow::Conflict Shadow::read(std::uint64_t address, unsigned bytes, const Moment& now) {
  return for_cells(address, bytes, [&](Cell& cell) -> Conflict {
    if (!ordered(cell.write, now)) return conflict(cell.write, now, true);
    Stamp& last = cell.read;
    std::uint8_t flags = 0;
    if (last.interval == now.interval) {
      flags = last.flags;
      if (last.thread / 32 != now.thread / 32) flags |= of_warps;
      else if (last.warp_interval != now.warp_interval) flags = static_cast<std::uint8_t>(flags & of_warps);
      else if (last.thread != now.thread) flags |= of_lanes;
    }
    last = {now.interval, now.statement, now.thread, now.warp_interval, flags};
    return {};
  });
}

Shadow::Conflict Shadow::atomic(std::uint64_t address, unsigned bytes, const Moment& now) {
  return for_cells(address, bytes, [&](Cell& cell) -> Conflict {
    if (!ordered(cell.read, now)) return conflict(cell.read, now, false);
    if (!(cell.write.flags & is_atomic) && !ordered(cell.write, now)) return conflict(cell.write, now, true);
    cell.write = {now.interval, now.statement, now.thread, now.warp_interval, is_atomic};
    return {};
  });
}

}  // namespace simulated::ptx
