#pragma once

#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/memory/blocks/size_class.h>

#include <cstddef>
#include <cstdint>

// What a thread keeps for itself: free lists ("magazines", Bonwick and Adams, "Magazines and vmem", 2001) for each size
// class, and its part of the statistics. A list that is full or empty is exchanged with the shared store as a whole, so
// a block may be freed by any thread.

namespace minima::detail {

struct FreeBlock {
  FreeBlock* next;
  FreeBlock* next_magazine;  ///< the last two only in the first block of a magazine in the shared store
  std::uint32_t count;
};

/// The magazine in use and a full one in reserve: a thread at the border between the two does not go to the store
/// at every call.
struct Bin {
  FreeBlock* top = nullptr;
  FreeBlock* spare = nullptr;
  std::uint32_t count = 0;
  std::uint32_t capacity = 0;
};

/// Written by its thread alone and read by any, hence relaxed atomic accesses, which cost nothing here.
struct Counters {
  std::int64_t allocated_by[purpose_count] = {};
  std::int64_t requested = 0;
  std::int64_t allocations = 0;
  std::int64_t pending = 0;  ///< allocated by this thread but not yet in the shared count that the peak is taken of
  std::int64_t pending_peak = 0;  ///< its maximum since then
};

/// How much a thread may have pending; the recorded peak is off by at most this per thread, and exact with one thread.
inline constexpr std::int64_t pending_limit = 256 << 10;

struct ThreadMemory {
  Bin bins[small_class_count];
  Counters counters;
  ThreadMemory* next = nullptr;
  bool vacant = false;
};

// A pointer only: the space for thread-local data of shared libraries is short, and a trivial destructor keeps the
// access free of guards.
extern constinit thread_local ThreadMemory* thread_memory;

/// Gives the calling thread its ThreadMemory; that of an ended thread is used again.
ThreadMemory& attach_thread();
inline ThreadMemory& this_thread_memory() { return thread_memory ? *thread_memory : attach_thread(); }

/// A block of an empty bin's class: from the spare magazine, the store or the system. Throws OutOfMemoryError.
void* refill(ThreadMemory& thread, int size_class);
/// Makes room in a full bin.
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

/// The sums over all threads, past and present; `reserved` and its peak are left out.
MemoryStats counted_memory();
void reset_counted_peak();

/// Gives the calling thread's free blocks and then all wholly free chunks back.
void trim_small_blocks() noexcept;

}  // namespace minima::detail
