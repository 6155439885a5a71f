#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/memory/blocks/memory_stats.h>

#include <cstddef>
#include <cstdint>

namespace minima {

class Storage;

/// A source of storage. One per kind of memory; all of them live until the process ends.
class MINIMA_API Allocator {
 public:
  /// A block of at least `bytes`, aligned to 64, with a reference count of one. Throws OutOfMemoryError.
  virtual Storage* allocate(std::size_t bytes) = 0;
  /// Takes back a storage of this allocator whose count has reached zero.
  virtual void release(Storage* storage) noexcept = 0;

 protected:
  ~Allocator() = default;
};

/// The allocator of a device's ordinary memory.
MINIMA_API Allocator& allocator_of(Device device);

MINIMA_API MemoryStats memory_stats(Device device = Device::cpu());
/// Makes the peaks equal to the present figures.
MINIMA_API void reset_peak(Device device = Device::cpu());
/// Gives cached, unused memory back to the system. What other threads keep for themselves, at most about 128 KiB per
/// size, stays.
MINIMA_API void empty_cache(Device device = Device::cpu());
/// Allocations that would make `reserved` exceed this many bytes throw. 0 restores the default: the machine's memory
/// with swap, or the control group's limit, since beyond that the kernel would end the process.
MINIMA_API void set_memory_limit(std::int64_t bytes, Device device = Device::cpu());

/// From now on fresh CPU memory is filled with 0xFF bytes (NaN in all floating dtypes), freed memory with 0xFE and kept
/// back for a while, and every storage lies between red zones. MINIMA_DEBUG_MEMORY=1 turns it on from the start.
MINIMA_API void debug_memory(bool on);
/// In debug mode: throws an Error that describes the first write outside a storage, or into a freed one, that has been
/// found so far or is found now. The next allocation throws it too; afterwards it counts as told.
MINIMA_API void check_memory();

}  // namespace minima
