#pragma once

#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/memory/blocks/size_class.h>

#include <cstddef>
#include <cstdint>

// Per-thread memory: a free list per size class ("magazines"; Bonwick and Adams, "Magazines and Vmem", 2001) and the
// thread's share of the statistics. Full and empty lists are exchanged with the shared store as a whole, so any thread
// may free a block.

namespace minima::detail {

struct FreeBlock {
  FreeBlock* next;
  FreeBlock* next_magazine;  ///< in the first block of a stored magazine only
  std::uint32_t count;       ///< likewise
};

/// The magazine in use and a full spare, so that a thread that alternates between allocating and freeing at a
/// magazine's boundary does not go to the store on every call.
struct Bin {
  FreeBlock* top = nullptr;
  FreeBlock* spare = nullptr;
  std::uint32_t count = 0;
  std::uint32_t capacity = 0;
};

/// Written only by its thread and read by all, hence relaxed atomic accesses, which are free here.
struct Counters {
  std::int64_t allocated_by[purpose_count] = {};
  std::int64_t requested = 0;
  std::int64_t allocations = 0;
  std::int64_t pending = 0;       ///< allocated by this thread but not yet added to the shared count
  std::int64_t pending_peak = 0;  ///< the maximum of `pending` since it was last added
};

/// The maximum of `pending`. The recorded peak is off by at most this much per thread; it is exact with one thread.
inline constexpr std::int64_t pending_limit = 256 << 10;

struct ThreadMemory {
  Bin bins[small_class_count];
  Counters counters;
  ThreadMemory* next = nullptr;
  bool vacant = false;
};

// Only a pointer: shared libraries have little space for thread-local data, and a trivial destructor avoids guards on
// every access.
extern constinit thread_local ThreadMemory* thread_memory;

/// Assigns a ThreadMemory to the calling thread, reusing that of an ended thread if there is one.
ThreadMemory& attach_thread();
inline ThreadMemory& this_thread_memory() { return thread_memory ? *thread_memory : attach_thread(); }

/// Refills an empty bin from its spare magazine, the store or the system, and returns a block. Throws OutOfMemoryError.
void* refill(ThreadMemory& thread, int size_class);
/// Empties a full bin into its spare or the store.
void drain(ThreadMemory& thread, int size_class) noexcept;

inline void* allocate_small(ThreadMemory& thread, int size_class) {
  Bin& bin = thread.bins[size_class];
  FreeBlock* const block = bin.top;
  if (!block) [[unlikely]]
    return refill(thread, size_class);
  bin.top = block->next;
  --bin.count;
  return block;
}

inline void free_small(ThreadMemory& thread, int size_class, void* memory) noexcept {
  Bin& bin = thread.bins[size_class];
  if (bin.count == bin.capacity) [[unlikely]]
    drain(thread, size_class);
  auto* const block = static_cast<FreeBlock*>(memory);
  block->next = bin.top;
  bin.top = block;
  ++bin.count;
}

inline void bump(std::int64_t& counter, std::int64_t by) {
  __atomic_store_n(&counter, __atomic_load_n(&counter, __ATOMIC_RELAXED) + by, __ATOMIC_RELAXED);
}

void publish_pending(Counters& counters);

inline void count_allocation(ThreadMemory& thread, Purpose purpose, std::int64_t capacity, std::int64_t requested) {
  Counters& counters = thread.counters;
  bump(counters.allocated_by[static_cast<int>(purpose)], capacity);
  bump(counters.requested, requested);
  bump(counters.allocations, 1);
  const std::int64_t pending = counters.pending + capacity;
  __atomic_store_n(&counters.pending, pending, __ATOMIC_RELAXED);
  if (pending > __atomic_load_n(&counters.pending_peak, __ATOMIC_RELAXED)) {
    __atomic_store_n(&counters.pending_peak, pending, __ATOMIC_RELAXED);
    if (pending > pending_limit) publish_pending(counters);
  }
}

inline void count_release(ThreadMemory& thread, Purpose purpose, std::int64_t capacity, std::int64_t requested) {
  Counters& counters = thread.counters;
  bump(counters.allocated_by[static_cast<int>(purpose)], -capacity);
  bump(counters.requested, -requested);
  bump(counters.pending, -capacity);
  if (counters.pending < -pending_limit) publish_pending(counters);
}

/// The sums over all threads, including ended ones, without `reserved` and its peak.
MemoryStats counted_memory();
void reset_counted_peak();

/// Returns the calling thread's free blocks to the store, then all free chunks to the system.
void trim_small_blocks() noexcept;

}  // namespace minima::detail
