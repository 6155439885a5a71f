#include <minima/tensor/memory/blocks/thread_memory.h>

#include <minima/tensor/memory/blocks/block_store.h>
#include <minima/tensor/memory/blocks/large_memory.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/memory/blocks/size_class.h>

#include <pthread.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

namespace minima::detail {

constinit thread_local ThreadMemory* thread_memory = nullptr;

namespace {

// Never destroyed: threads may still allocate while the process exits.
constinit std::mutex registry_lock;
constinit ThreadMemory* registry = nullptr;
pthread_key_t thread_end_key;

constinit std::int64_t published = 0;  // allocated bytes, excluding what is pending in threads
constinit std::int64_t published_peak = 0;

void raise_peak(std::int64_t value) {
  std::int64_t peak = __atomic_load_n(&published_peak, __ATOMIC_RELAXED);
  while (value > peak &&
         !__atomic_compare_exchange_n(&published_peak, &peak, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

void return_magazines(ThreadMemory& thread) noexcept {
  for (int i = 0; i < small_class_count; ++i) {
    Bin& bin = thread.bins[i];
    if (bin.spare) store_magazine(i, std::exchange(bin.spare, nullptr), bin.capacity);
    if (bin.top) store_magazine(i, std::exchange(bin.top, nullptr), std::exchange(bin.count, 0u));
  }
}

void detach_thread(void* memory) {
  auto& thread = *static_cast<ThreadMemory*>(memory);
  return_magazines(thread);
  publish_pending(thread.counters);
  thread_memory = nullptr;  // later destructors on this thread attach again
  const std::lock_guard lock(registry_lock);
  thread.vacant = true;
}

void release_cached_memory() {
  if (!try_release_idle_large()) throw std::bad_alloc();
}

// A child process has only the forking thread, so no other thread may hold a lock during the fork.
void before_fork() {
  lock_large_memory();  // first, since large_memory.cpp reads statistics while holding its lock
  lock_block_store();
  registry_lock.lock();
}
void after_fork() {
  registry_lock.unlock();
  unlock_block_store();
  unlock_large_memory();
}

}  // namespace

ThreadMemory& attach_thread() {
  static std::once_flag once;
  std::call_once(once, [] {
    pthread_key_create(&thread_end_key, detach_thread);
    pthread_atfork(before_fork, after_fork, after_fork);
    // Lets every operator new in the program use our cached memory. A handler set by the program stays.
    if (!std::get_new_handler()) std::set_new_handler(release_cached_memory);
  });
  ThreadMemory* thread = nullptr;
  {
    const std::lock_guard lock(registry_lock);
    for (thread = registry; thread && !thread->vacant; thread = thread->next) {}
    if (!thread) {
      thread = new ThreadMemory;
      for (int i = 0; i < small_class_count; ++i) thread->bins[i].capacity = magazine_blocks(i);
      thread->next = registry;
      registry = thread;
    }
    thread->vacant = false;
  }
  pthread_setspecific(thread_end_key, thread);
  thread_memory = thread;
  return *thread;
}

void* refill(ThreadMemory& thread, int size_class) {
  Bin& bin = thread.bins[size_class];
  if (bin.spare) {
    bin.top = std::exchange(bin.spare, nullptr);
    bin.count = bin.capacity;
  } else {
    const Magazine magazine = load_magazine(size_class);
    bin.top = magazine.top;
    bin.count = magazine.count;
  }
  return allocate_small(thread, size_class);
}

void drain(ThreadMemory& thread, int size_class) noexcept {
  Bin& bin = thread.bins[size_class];
  if (bin.spare) store_magazine(size_class, bin.spare, bin.capacity);
  bin.spare = std::exchange(bin.top, nullptr);
  bin.count = 0;
}

void publish_pending(Counters& counters) {
  const std::int64_t pending = counters.pending;
  const std::int64_t now = __atomic_add_fetch(&published, pending, __ATOMIC_RELAXED);
  raise_peak(now - pending + __atomic_load_n(&counters.pending_peak, __ATOMIC_RELAXED));
  __atomic_store_n(&counters.pending, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&counters.pending_peak, 0, __ATOMIC_RELAXED);
}

MemoryStats counted_memory() {
  MemoryStats stats;
  std::int64_t above = 0;  // the largest excess of a thread's pending peak over its pending bytes
  const std::lock_guard lock(registry_lock);
  for (ThreadMemory* thread = registry; thread; thread = thread->next) {
    const Counters& counters = thread->counters;
    for (int i = 0; i < purpose_count; ++i)
      stats.allocated_by[i] += __atomic_load_n(&counters.allocated_by[i], __ATOMIC_RELAXED);
    stats.requested += __atomic_load_n(&counters.requested, __ATOMIC_RELAXED);
    stats.allocations += __atomic_load_n(&counters.allocations, __ATOMIC_RELAXED);
    above = std::max(above, __atomic_load_n(&counters.pending_peak, __ATOMIC_RELAXED) -
                                __atomic_load_n(&counters.pending, __ATOMIC_RELAXED));
  }
  for (std::int64_t bytes : stats.allocated_by) stats.allocated += bytes;
  raise_peak(stats.allocated + above);
  stats.peak_allocated = __atomic_load_n(&published_peak, __ATOMIC_RELAXED);
  return stats;
}

void reset_counted_peak() {
  const std::lock_guard lock(registry_lock);
  std::int64_t allocated = 0;
  for (ThreadMemory* thread = registry; thread; thread = thread->next) {
    Counters& counters = thread->counters;
    for (std::int64_t& bytes : counters.allocated_by) allocated += __atomic_load_n(&bytes, __ATOMIC_RELAXED);
    __atomic_store_n(&counters.pending_peak, __atomic_load_n(&counters.pending, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
  }
  __atomic_store_n(&published_peak, allocated, __ATOMIC_RELAXED);
}

void trim_small_blocks() noexcept {
  if (thread_memory) return_magazines(*thread_memory);
  trim_block_store();
}

}  // namespace minima::detail
