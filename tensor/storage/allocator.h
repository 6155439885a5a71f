#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/memory/blocks/memory_stats.h>

#include <cstddef>
#include <cstdint>

namespace minima {

class Storage;

/// A source of storages. There is one per kind of memory; allocators live until the process ends.
class MINIMA_API Allocator {
 public:
  /// A block of at least `bytes`, aligned to 64 bytes, with a reference count of one. Throws OutOfMemoryError.
  virtual Storage* allocate(std::size_t bytes) = 0;
  /// Frees a storage of this allocator whose count has reached zero.
  virtual void release(Storage* storage) noexcept = 0;

 protected:
  ~Allocator() = default;
};

/// The default allocator of a device.
MINIMA_API Allocator& allocator_of(Device device);

MINIMA_API MemoryStats memory_stats(Device device = Device::cpu());
/// Resets the peaks to the current values.
MINIMA_API void reset_peak(Device device = Device::cpu());
/// Returns cached, unused memory to the system, except what other threads keep for themselves: at most about 128 KiB
/// per size class.
MINIMA_API void empty_cache(Device device = Device::cpu());
/// Allocations that would raise `reserved` above this many bytes throw. 0 restores the default, the machine's memory
/// and swap or the control group's limit, above which the kernel would kill the process.
MINIMA_API void set_memory_limit(std::int64_t bytes, Device device = Device::cpu());

/// Under debug_memory (tensor/settings.h): checks all storages and throws an Error describing the first write found
/// outside a storage or into a freed one. Allocations throw it as well. Each error is reported once.
MINIMA_API void check_memory();

}  // namespace minima
