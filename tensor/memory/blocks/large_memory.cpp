#include <minima/tensor/memory/blocks/large_memory.h>

#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/memory/blocks/size_class.h>
#include <minima/tensor/memory/blocks/system_memory.h>
#include <minima/tensor/memory/blocks/thread_memory.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>  // IWYU pragma: keep

namespace minima::detail {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

/// The header of a free block: its neighbours in its bin and in order of release.
struct Idle {
  Idle* next;
  Idle* previous;
  Idle* newer;
  Idle* older;
  std::size_t capacity;
};
static_assert(sizeof(Idle) <= header_bytes);

// Eight bins per doubling, matching the rounding of sizes.
constexpr int bin_count = 8 * (48 - 15);
constexpr int bin_of(std::size_t capacity) {
  const int exponent = log2_floor(capacity);
  return (exponent - 15) * 8 + static_cast<int>((capacity >> (exponent - 3)) & 7);
}

constinit std::mutex lock;
constinit Idle* bins[bin_count] = {};
constinit Idle* newest = nullptr;
constinit Idle* oldest = nullptr;
constinit std::size_t idle_bytes = 0;

bool on_huge_pages(std::size_t capacity) { return capacity >= huge_page; }
/// The header pushes the last 64 bytes of data past the last huge page; a small page holds them.
std::size_t block_bytes(std::size_t capacity) { return capacity + (on_huge_pages(capacity) ? 4096 : header_bytes); }

void* from_system(std::size_t capacity) noexcept {
  const std::size_t bytes = block_bytes(capacity);
  return on_huge_pages(capacity) ? map_pages(bytes, huge_page, true) : allocate_block(bytes);
}

void to_system(void* block, std::size_t capacity) noexcept {
  if (on_huge_pages(capacity)) unmap_pages(block, block_bytes(capacity));
  else free_block(block, block_bytes(capacity));
}

void unlink(Idle& idle) {
  (idle.previous ? idle.previous->next : bins[bin_of(idle.capacity)]) = idle.next;
  if (idle.next) idle.next->previous = idle.previous;
  (idle.older ? idle.older->newer : oldest) = idle.newer;
  (idle.newer ? idle.newer->older : newest) = idle.older;
  idle_bytes -= block_bytes(idle.capacity);
}

/// The smallest free block of [capacity, most].
Idle* best_fit(std::size_t capacity, std::size_t most) {
  for (int bin = bin_of(capacity), last = bin_of(most); bin <= last; ++bin) {
    Idle* best = nullptr;
    for (Idle* idle = bins[bin]; idle; idle = idle->next) {
      if (idle->capacity < capacity || idle->capacity > most || (best && idle->capacity >= best->capacity)) continue;
      best = idle;
      if (best->capacity == capacity) break;
    }
    if (best) return best;
  }
  return nullptr;
}

/// Returns the blocks that have been free longest to the system until at most `target` bytes are free.
void shrink_idle(std::size_t target) noexcept {
  while (oldest && idle_bytes > target) {
    Idle* const idle = oldest;
    unlink(*idle);
    to_system(idle, idle->capacity);
  }
}

/// By how much growing by `bytes` would exceed what is kept: 5/4 of the peak of `allocated` plus 64 MiB. Repeated
/// training steps never reach that bound; it keeps ever-changing sizes from piling up unused blocks.
std::size_t excess_of(std::size_t bytes) noexcept {
  const MemoryStats stats = counted_memory();
  const auto grown = static_cast<std::int64_t>(bytes);
  const std::int64_t peak = std::max(stats.peak_allocated, stats.allocated + grown);
  const std::int64_t excess = reserved_bytes().now + grown - (peak + peak / 4 + (std::int64_t{64} << 20));
  return excess > 0 ? static_cast<std::size_t>(excess) : 0;
}

}  // namespace

LargeBlock allocate_large(std::size_t data_bytes) {
  if (data_bytes > std::size_t{1} << 46) throw_out_of_memory(data_bytes);
  const std::size_t capacity = round_large(data_bytes);
  {
    const std::lock_guard guard(lock);
    Idle* idle = best_fit(capacity, capacity + capacity / 4);
    const std::size_t excess = idle ? 0 : excess_of(block_bytes(capacity));
    if (excess > 0) idle = best_fit(capacity, 2 * capacity);
    if (idle) {
      unlink(*idle);
      return {idle, idle->capacity};
    }
    if (excess > 0) shrink_idle(idle_bytes > excess ? idle_bytes - excess : 0);
  }
  if (void* const block = from_system(capacity)) return {block, capacity};
  release_idle_large();
  trim_small_blocks();
  if (void* const block = from_system(capacity)) return {block, capacity};
  throw_out_of_memory(data_bytes);
}

void free_large(void* block, std::size_t capacity) noexcept {
  const std::lock_guard guard(lock);
  Idle*& first = bins[bin_of(capacity)];
  auto* const idle = new (block) Idle{first, nullptr, nullptr, newest, capacity};
  if (first) first->previous = idle;
  first = idle;
  (newest ? newest->newer : oldest) = idle;
  newest = idle;
  idle_bytes += block_bytes(capacity);
}

void release_idle_large() noexcept {
  const std::lock_guard guard(lock);
  shrink_idle(0);
}

bool try_release_idle_large() noexcept {
  const std::unique_lock guard(lock, std::try_to_lock);
  if (!guard || !oldest) return false;
  shrink_idle(0);
  return true;
}

void lock_large_memory() { lock.lock(); }
void unlock_large_memory() { lock.unlock(); }

}  // namespace minima::detail
