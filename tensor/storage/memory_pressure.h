#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/device.h>

#include <cstddef>

namespace minima {

namespace detail {

/// Is asked before memory is taken, while no allocator's lock is held: the way to a budget below what there is, and the
/// last resort before a failure. For the calling thread; memory that other threads take is not announced.
class MINIMA_API MemoryPressure {
 public:
  /// Before `bytes` (as the allocator rounds them) are taken on `device`. Blocks of at most 32 KiB in CPU memory are
  /// not announced. May free memory, and may throw OutOfMemoryError.
  virtual void before(Device device, std::size_t bytes) = 0;
  /// There is no memory. Frees some and returns true if another attempt makes sense.
  virtual bool relieve(Device device, std::size_t bytes) = 0;

 protected:
  ~MemoryPressure() = default;
};

extern MINIMA_API constinit thread_local MemoryPressure* memory_pressure;

}  // namespace detail
}  // namespace minima
