#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/storage/storage.h>

#include <cstdint>

namespace minima {

/// Hears of the storages that a thread allocates and frees, on any device, with no allocator lock held.
class MINIMA_API MemoryObserver {
 public:
  /// `bytes` as MemoryStats counts them; negative before the storage is freed.
  virtual void change(const Storage& storage, std::int64_t bytes) noexcept = 0;

 protected:
  ~MemoryObserver() = default;
};

/// Sets this thread's observer and returns the previous one; null for none.
MINIMA_API MemoryObserver* set_memory_observer(MemoryObserver* observer);

namespace detail {

extern constinit thread_local MemoryObserver* thread_memory_observer;

/// For allocators.
inline void note_change(const Storage& storage, std::int64_t bytes) noexcept {
  if (thread_memory_observer) [[unlikely]]
    thread_memory_observer->change(storage, bytes);
}

}  // namespace detail

}  // namespace minima
