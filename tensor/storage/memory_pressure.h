#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/device.h>

#include <cstddef>

namespace minima {

namespace detail {

/// Called before each allocation of the current thread and when one fails, with no allocator lock held. A memory budget
/// uses it to stay below its limit; it is also the last resort before OutOfMemoryError.
class MINIMA_API MemoryPressure {
 public:
  /// Called before `bytes`, rounded as by the allocator, are allocated on `device`; not for blocks of at most 32 KiB in
  /// CPU memory. May free memory, and may throw OutOfMemoryError.
  virtual void before(Device device, std::size_t bytes) = 0;
  /// Called when memory has run out. Returns true if it freed some, so that the allocation is worth retrying.
  virtual bool relieve(Device device, std::size_t bytes) = 0;

 protected:
  ~MemoryPressure() = default;
};

extern MINIMA_API constinit thread_local MemoryPressure* memory_pressure;

}  // namespace detail
}  // namespace minima
