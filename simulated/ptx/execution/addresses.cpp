#include "simulated/ptx/execution/thread_block.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <sstream>

// Addresses: what they mean, whether they may be used, and what using them costs.

namespace simulated::ptx {

namespace {

std::string hexadecimal(std::uint64_t address) {
  std::ostringstream text;
  text << "0x" << std::hex << address;
  return text.str();
}

/// The number of different values of f(lane), for at most 64 lanes' parts.
class Distinct {
 public:
  void add(std::uint64_t value) {
    if (count_ != 0 && value == last_) return;
    last_ = value;
    for (unsigned slot = static_cast<unsigned>((value * 0x9e3779b97f4a7c15u) >> 56);; slot = (slot + 1) & 255u) {
      if (!used_[slot]) {
        used_[slot] = true;
        values_[slot] = value;
        ++count_;
        return;
      }
      if (values_[slot] == value) return;
    }
  }
  unsigned count() const { return count_; }

 private:
  std::array<std::uint64_t, 256> values_;
  std::array<bool, 256> used_{};
  std::uint64_t last_ = 0;
  unsigned count_ = 0;
};

}  // namespace

void ThreadBlock::resolve(Warp& warp, const Op& op, Place at, AccessKind access, Request& request) {
  if (op.mode == 4) {  // 32-bit addresses
    const std::uint32_t* const base = in<std::uint32_t>(warp, at);
    for (unsigned lane = 0; lane < warp_size; ++lane)
      request.address[lane] = static_cast<std::uint32_t>(base[lane] + static_cast<std::uint32_t>(op.offset));
  } else {
    const std::uint64_t* const base = in<std::uint64_t>(warp, at);
    for (unsigned lane = 0; lane < warp_size; ++lane)
      request.address[lane] = base[lane] + static_cast<std::uint64_t>(op.offset);
  }
  request.in_global = op.space == Space::global;
  request.in_shared = op.space == Space::shared;
  const unsigned bytes = unsigned{op.bytes} * op.elements;
  request.consecutive = false;
  if (warp.mask == all_lanes && op.space != Space::local && op.space != Space::generic) {
    std::uint64_t differs = 0;
    for (unsigned lane = 0; lane < warp_size; ++lane)
      differs |= request.address[lane] ^ (request.address[0] + std::uint64_t{lane} * bytes);
    request.consecutive = differs == 0;
  }
  std::uint64_t together = 0;
  for_lanes(warp.mask, [&](unsigned lane) { together |= request.address[lane]; });
  if ((together & (bytes - 1)) != 0)
    for_lanes(warp.mask, [&](unsigned lane) {
      if ((request.address[lane] & (bytes - 1)) != 0)
        fail(Fault::Kind::misaligned, op, static_cast<int>(warp.number * warp_size + lane),
             "an access of " + std::to_string(bytes) + " bytes at " + hexadecimal(request.address[lane]) +
                 ", which is no multiple of that");
    });
  if (request.in_shared) count_shared(warp, op, request);
  translate(warp, op, request);
  if (request.in_global) {
    check(warp, op, request);
    count_global(warp, op, access, request);
  }
}

/// Turns addresses of a space into those of this process.
void ThreadBlock::translate(Warp& warp, const Op& op, Request& request) const {
  const unsigned bytes = unsigned{op.bytes} * op.elements;
  const auto place = [&](unsigned lane, Space space, std::uint64_t offset) {
    const auto thread = warp.number * warp_size + lane;
    const auto within = [&](std::size_t limit, const char* name) {
      if (offset > limit || limit - offset < bytes)
        fail(Fault::Kind::out_of_bounds, op, static_cast<int>(thread),
             std::to_string(bytes) + " bytes at offset " + std::to_string(static_cast<std::int64_t>(offset)) +
                 " of the " + std::to_string(limit) + " bytes of " + name);
      return offset;
    };
    if (space == Space::shared)
      request.address[lane] = reinterpret_cast<std::uint64_t>(shared_begin_) + within(shared_bytes_, "shared memory");
    else if (space == Space::local)
      request.address[lane] = reinterpret_cast<std::uint64_t>(local_.data()) + thread * local_stride_ +
                              within(running_.program.local_bytes(), "local memory");
    else
      request.address[lane] = reinterpret_cast<std::uint64_t>(running_.parameters.data()) +
                              within(running_.parameters.size(), "parameters");
  };
  if (op.space == Space::generic) {
    for_lanes(warp.mask, [&](unsigned lane) {
      const std::uint64_t address = request.address[lane], window = address & window_bits;
      if (window == shared_window) {
        place(lane, Space::shared, address - shared_window);
        request.in_shared = true;
      } else if (window == local_window) {
        place(lane, Space::local, address - local_window);
      } else if (window == param_window) {
        place(lane, Space::param, address - param_window);
      } else {
        request.in_global = true;
      }
    });
  } else if (op.space == Space::shared || op.space == Space::local || op.space == Space::param) {
    for_lanes(warp.mask, [&](unsigned lane) { place(lane, op.space, request.address[lane]); });
  }
}

void ThreadBlock::check(const Warp& warp, const Op& op, const Request& request) {
  if (!running_.options.find_range) return;
  const unsigned bytes = unsigned{op.bytes} * op.elements;
  const auto inside = [&](const Range& range, std::uint64_t address) {
    return address >= range.begin && address < range.end && range.end - address >= bytes;
  };
  if (request.consecutive && inside(running_.last_range, request.address[0]) &&
      inside(running_.last_range, request.address[warp_size - 1]))
    return;
  for_lanes(warp.mask, [&](unsigned lane) {
    const std::uint64_t address = request.address[lane];
    if (inside(running_.last_range, address)) return;
    std::optional<Range> range = running_.options.find_range(address);
    if (!range)
      if (const auto [begin, end] = running_.program.module().variable_at(address); begin != end)
        range = {{begin, end}};
    if (!range || !inside(*range, address))
      fail(Fault::Kind::out_of_bounds, op, static_cast<int>(warp.number * warp_size + lane),
           std::to_string(bytes) + " bytes at " + hexadecimal(address) +
               (range ? ", beyond the end of an allocation of " + std::to_string(range->end - range->begin) + " bytes"
                      : ", where nothing is allocated"));
    running_.last_range = *range;
  });
}

void ThreadBlock::count_global(const Warp& warp, const Op& op, AccessKind access, const Request& request) {
  Traffic& traffic = access == AccessKind::read ? running_.counts.loads : running_.counts.stores;
  const unsigned bytes = unsigned{op.bytes} * op.elements;
  ++traffic.requests;
  if (request.consecutive) {
    const std::uint64_t begin = request.address[0], end = begin + std::uint64_t{bytes} * warp_size;
    traffic.sectors += (end - 1) / 32 - begin / 32 + 1;
    traffic.bytes += end - begin;
    return;
  }
  Distinct sectors, places;
  for_lanes(warp.mask, [&](unsigned lane) {
    places.add(request.address[lane]);
    sectors.add(request.address[lane] / 32);
  });
  traffic.sectors += sectors.count();
  traffic.bytes += std::uint64_t{places.count()} * bytes;
}

/// 32 banks of 4 bytes. Lanes of 8 and 16 bytes are served in 2 and 4 parts.
void ThreadBlock::count_shared(const Warp& warp, const Op& op, const Request& request) {
  const unsigned bytes = unsigned{op.bytes} * op.elements, parts = std::max(1u, bytes / 4);
  const unsigned lanes = warp_size / parts;
  ++running_.counts.shared_requests;
  for (unsigned part = 0; part < parts; ++part) {
    const Mask here = warp.mask & (parts == 1 ? all_lanes : ((Mask{1} << lanes) - 1) << part * lanes);
    if (here == 0) continue;
    ++running_.counts.ideal_wavefronts;
    if (request.consecutive) {
      ++running_.counts.wavefronts;
      continue;
    }
    std::array<std::uint8_t, 32> in_bank{};
    std::array<std::uint64_t, warp_size * 4> seen;
    unsigned count = 0, worst = 1;
    for_lanes(here, [&](unsigned lane) {
      for (unsigned word = 0; word < parts; ++word) {
        const std::uint64_t at = request.address[lane] / 4 + word;
        const bool known = std::find(seen.begin(), seen.begin() + count, at) != seen.begin() + count;
        if (known) continue;
        seen[count++] = at;
        worst = std::max<unsigned>(worst, ++in_bank[at % 32]);
      }
    });
    running_.counts.wavefronts += worst;
  }
}

void ThreadBlock::watch(const Warp& warp, const Op& op, unsigned lane, const Request& request, AccessKind access,
                        bool same_value) {
  const bool shared = request.in_shared && request.address[lane] >= reinterpret_cast<std::uint64_t>(shared_begin_) &&
                      request.address[lane] < reinterpret_cast<std::uint64_t>(shared_begin_) + shared_bytes_;
  if (!shared && (!request.in_global || !running_.global_shadow)) return;
  Shadow& shadow = shared ? shared_shadow_ : *running_.global_shadow;
  const unsigned bytes = unsigned{op.bytes} * op.elements;
  const Moment now{.interval = running_.interval,
                   .first_interval = first_interval_,
                   .thread = static_cast<std::uint16_t>(warp.number * warp_size + lane),
                   .warp_interval = warps_[warp.number].interval,
                   .statement = op.statement};
  const std::uint64_t address = request.address[lane];
  const Shadow::Conflict found = access == AccessKind::read    ? shadow.read(address, bytes, now)
                                 : access == AccessKind::write ? shadow.write(address, bytes, now, same_value)
                                                               : shadow.atomic(address, bytes, now);
  if (access == AccessKind::atomic) did_atomic_ = true;
  if (!found.found) return;
  fail(Fault::Kind::race, op, now.thread,
       std::string("a race on ") + (shared ? "shared memory" : "global memory") + ": " + std::to_string(bytes) +
           " bytes at " +
           (shared ? "offset " + std::to_string(address - reinterpret_cast<std::uint64_t>(shared_begin_))
                   : hexadecimal(address)) +
           " that thread " + std::to_string(found.thread) + (found.other_block ? " of another block" : "") +
           (found.wrote ? " wrote" : " read") + " with " + running_.program.text(found.statement) +
           (found.other_block ? "" : ", and no barrier in between"));
}

/// After an atomic operation, a fence means that this block knows what those before it did (the last block of a
/// reduction): taken as such whatever the address.
void ThreadBlock::fence() {
  if (did_atomic_ && running_.global_shadow) running_.global_shadow->acquire(first_interval_ - 1);
}

}  // namespace simulated::ptx
