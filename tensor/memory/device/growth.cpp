#include <minima/tensor/memory/device/caching_memory.h>

#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/memory/device/arena.h>
#include <minima/tensor/memory/device/block.h>
#include <minima/tensor/memory/device/memory_driver.h>
#include <minima/tensor/memory/device/snapshot.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

// The sources of memory: idle pages, new pages from the driver, and whole segments.

namespace minima::device_memory {

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t small_segment = 2 * mebibyte;
constexpr std::size_t shared_segment = 20 * mebibyte;        ///< holds several blocks, each smaller than
constexpr std::size_t largest_shared_block = 10 * mebibyte;  ///< this
/// Pages move in groups, since every move costs a driver call.
constexpr std::size_t least_harvest = 8;
constexpr unsigned most_calls_between_trims = 1u << 20;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

template <class Visit>
void CachingMemory::for_each_arena(const Visit& visit) const {
  for (const auto& [token, stream] : streams_)
    for (Arenas* arenas : {&stream->ordinary, &stream->plain}) {
      visit(arenas->large);
      visit(arenas->small);
    }
  for (const auto& [key, arenas] : pools_) {
    visit(arenas->large);
    visit(arenas->small);
  }
}

CachingMemory::~CachingMemory() {
  for_each_arena([](Arena& arena) {
    for (Segment* segment : arena.segments) {
      for (Block *block = segment->first, *next; block; block = next) {
        next = block->next;
        drop_block(block);
      }
      delete segment;
    }
  });
}

bool CachingMemory::fits(std::size_t more) const {
  return limit_ == 0 || static_cast<std::size_t>(stats_.reserved) + more <= limit_;
}

void CachingMemory::add_reserved(std::int64_t bytes) {
  stats_.reserved += bytes;
  stats_.peak_reserved = std::max(stats_.peak_reserved, stats_.reserved);
  if (bytes > 0) ++stats_.system_allocations;
  mark_interval_ = std::max(least_mark_interval, static_cast<std::size_t>(stats_.reserved) / 256);
}

/// A sixteenth may stay unused: moving pages back and forth would cost more than it saves.
bool CachingMemory::has_much_idle() const {
  return stats_.reserved - stats_.allocated > stats_.reserved / 16 + static_cast<std::int64_t>(8 * page_bytes_);
}

/// Reserves more addresses than the device has memory; they cost nothing.
bool CachingMemory::add_addresses(Arena& arena) {
  const std::size_t bytes = rounded_up(total_ / 8 * 9, page_bytes_);
  char* const base = driver_.reserve(bytes);
  if (base) arena.add_segment(base, bytes, page_bytes_);
  return base;
}

bool CachingMemory::grow(Arena& arena, std::size_t bytes, bool harvest_all) {
  if (arena.paged && arena.segments.empty() && !add_addresses(arena)) arena.paged = false;
  return arena.paged ? grow_paged(arena, bytes, harvest_all) : add_whole_segment(arena, bytes);
}

bool CachingMemory::grow_paged(Arena& arena, std::size_t bytes, bool harvest_all) {
  Arena::Growth growth = arena.plan_growth(bytes, page_bytes_);
  if (!growth.first && bytes <= total_ && add_addresses(arena)) growth = arena.plan_growth(bytes, page_bytes_);
  // Harvesting may take pages adjacent to the run, which then needs more. Plan again until there are enough.
  for (bool found = harvest_all || has_much_idle(); found && growth.first && growth.pages > spare_.size();) {
    found = harvest(std::max(growth.pages - spare_.size(), least_harvest), growth.first);
    growth = arena.plan_growth(bytes, page_bytes_);
  }
  return growth.first && create_spare(growth.pages) && arena.grow(growth, spare_, page_bytes_, driver_);
}

/// Creates pages until this many are spare; false if the driver refuses.
bool CachingMemory::create_spare(std::size_t count) {
  while (spare_.size() < count) {
    spare_.reserve(count);
    const Page page = fits(page_bytes_) ? driver_.create_page() : 0;
    if (!page) return false;
    spare_.push_back(page);
    ++caching_.pages_created;
    add_reserved(static_cast<std::int64_t>(page_bytes_));
  }
  return true;
}

/// Unmaps whole pages of free blocks that their stream has passed, largest blocks first, and makes them spare.
/// `only_old` skips pages used since the last trim. False if it found none.
bool CachingMemory::harvest(std::size_t wanted, const Block* keep, bool only_old) {
  const std::size_t before = spare_.size();
  for_each_arena([&](Arena& arena) {
    if (!arena.paged || arena.graph) return;
    const std::uint64_t reached =
        only_old ? std::min(arena.stream->reached, arena.stream->at_last_trim) : arena.stream->reached;
    arena.free.for_each_at_least(page_bytes_, [&](Block* block) {
      const std::size_t found = spare_.size() - before;
      if (found >= wanted) return false;
      if (block != keep) arena.harvest(block, reached, wanted - found, page_bytes_, driver_, spare_);
      return true;
    });
  });
  if (!only_old) caching_.pages_moved += static_cast<std::int64_t>(spare_.size() - before);
  return spare_.size() > before;
}

/// Returns pages unused since the last trim to the driver while too much is unused. Otherwise the most fragmented
/// moment would determine `reserved` from then on. A trim that is followed by new pages came too early: a step has more
/// allocations than trims are apart.
void CachingMemory::trim() {
  calls_since_trim_ = 0;
  if (!captures_.empty() || page_bytes_ == 0) return;
  if (trimmed_ && caching_.pages_created > created_at_trim_)
    calls_between_trims_ = std::min(2 * calls_between_trims_, most_calls_between_trims);
  trimmed_ = false;
  created_at_trim_ = caching_.pages_created;
  note_progress();
  if (has_much_idle()) {
    const std::int64_t kept = stats_.reserved / 16 + static_cast<std::int64_t>(8 * page_bytes_);
    trimmed_ =
        harvest(static_cast<std::size_t>(stats_.reserved - stats_.allocated - kept) / page_bytes_, nullptr, true);
    destroy_spare();
  }
  for (auto& [token, stream] : streams_) stream->at_last_trim = stream->releases;
}

bool CachingMemory::add_whole_segment(Arena& arena, std::size_t bytes) {
  const std::size_t exact = rounded_up(bytes, 2 * mebibyte);
  const std::size_t shared = arena.small ? small_segment : bytes < largest_shared_block ? shared_segment : exact;
  for (const std::size_t size : {shared, exact}) {
    char* const base = fits(size) ? driver_.allocate(size) : nullptr;
    if (!base) continue;
    add_reserved(static_cast<std::int64_t>(size));
    arena.add_segment(base, size, page_bytes_);
    return true;
  }
  return false;
}

/// Returns unused segments to the driver, then harvests and destroys all idle pages, which the driver would still count
/// as allocated.
void CachingMemory::release_idle() {
  for_each_arena([&](Arena& arena) {
    if (!arena.graph) remove_idle_segments(arena);
  });
  harvest(~std::size_t{0}, nullptr);
  forget_pools();
  destroy_spare();
}

void CachingMemory::remove_idle_segments(Arena& arena) {
  const std::vector<Segment*> segments = arena.segments;
  for (Segment* segment : segments) {
    const Block& block = *segment->first;
    if (block.next || block.state == BlockState::used || block.freed_at > arena.stream->reached) continue;
    if (segment->paged) {
      if (block.state != BlockState::unmapped) continue;
      driver_.unreserve(segment->base, segment->bytes);
    } else {
      driver_.free(segment->base);
      add_reserved(-static_cast<std::int64_t>(segment->bytes));
    }
    arena.remove_segment(segment);
  }
}

/// Makes the idle pages of released pools spare, and removes the pools that have no memory left: the addresses of each
/// are as many as the device's.
void CachingMemory::forget_pools() {
  std::erase_if(pools_, [&](const auto& entry) {
    for (Arena* arena : {&entry.second->large, &entry.second->small}) {
      if (arena->graph) return false;
      if (arena->paged)
        arena->free.for_each_at_least(page_bytes_, [&](Block* block) {
          arena->harvest(block, arena->stream->reached, ~std::size_t{0}, page_bytes_, driver_, spare_);
          return true;
        });
      remove_idle_segments(*arena);
    }
    return entry.second->large.segments.empty() && entry.second->small.segments.empty();
  });
}

void CachingMemory::destroy_spare() {
  while (!spare_.empty()) {
    driver_.destroy_page(spare_.back());
    spare_.pop_back();
    ++caching_.pages_destroyed;
    add_reserved(-static_cast<std::int64_t>(page_bytes_));
  }
}

void CachingMemory::reset_peak() {
  const std::lock_guard lock(mutex_);
  stats_.peak_allocated = stats_.allocated;
  stats_.peak_reserved = stats_.reserved;
}

void CachingMemory::count_direct(std::size_t bytes, Purpose purpose, int sign) {
  const std::lock_guard lock(mutex_);
  const std::int64_t change = sign * static_cast<std::int64_t>(bytes);
  stats_.allocations += sign > 0;
  stats_.allocated += change;
  stats_.requested += change;
  stats_.allocated_by[static_cast<int>(purpose)] += change;
  stats_.peak_allocated = std::max(stats_.peak_allocated, stats_.allocated);
  add_reserved(change);
}

std::size_t CachingMemory::limit() const {
  const std::lock_guard lock(mutex_);
  return limit_;
}

MemoryStats CachingMemory::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

CachingStats CachingMemory::caching_stats() const {
  const std::lock_guard lock(mutex_);
  CachingStats result = caching_;
  result.held = static_cast<std::int64_t>(held_.size());
  for_each_arena([&](const Arena& arena) {
    if (const Block* const block = arena.free.largest())
      result.largest_free = std::max(result.largest_free, static_cast<std::int64_t>(block->bytes));
  });
  return result;
}

MemorySnapshot CachingMemory::snapshot() const {
  const std::lock_guard lock(mutex_);
  MemorySnapshot result;
  result.stats = stats_;
  for_each_arena([&](const Arena& arena) {
    for (const Segment* segment : arena.segments) {
      MemorySnapshot::Segment shown{.address = reinterpret_cast<std::uint64_t>(segment->base),
                                    .bytes = 0,
                                    .stream = arena.stream->order,
                                    .paged = segment->paged,
                                    .small = arena.small,
                                    .graph = arena.graph,
                                    .blocks = {}};
      for (const Block* block = segment->first; block; block = block->next) {
        if (block->state == BlockState::unmapped && !block->next) break;  // unused addresses at the end
        const bool used = block->state == BlockState::used;
        shown.blocks.push_back({.address = reinterpret_cast<std::uint64_t>(block->address),
                                .bytes = static_cast<std::int64_t>(block->bytes),
                                .requested = used ? static_cast<std::int64_t>(block->requested) : 0,
                                .state = static_cast<MemorySnapshot::Block::State>(block->state),
                                .purpose = block->purpose});
        shown.bytes += static_cast<std::int64_t>(block->bytes);
      }
      if (!shown.blocks.empty()) result.segments.push_back(std::move(shown));
    }
  });
  return result;
}

}  // namespace minima::device_memory
