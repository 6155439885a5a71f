#pragma once

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/scope.h>
#include <minima/tensor/random/generator.h>

namespace minima {

/// The position at which a kernel starts to draw. Captured work is replayed with the same arguments, so there the
/// offset that advances from replay to replay is in device memory, and `offset` only counts within one replay.
struct PhiloxState {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
  const std::uint64_t* device_offset = nullptr;  ///< in GPU memory; null outside of captured work

  /// The counter at which the call starts.
  MINIMA_HD std::uint64_t position() const { return device_offset ? offset + *device_offset : offset; }
};

/// Reserves `counters` of the generator for a GPU kernel of this thread. All kernels that draw must call this.
MINIMA_API PhiloxState reserve_philox(RandomGenerator& generator, std::uint64_t counters);
/// The same for work on `device`; draws on the CPU are never captured.
MINIMA_API PhiloxState reserve_philox(RandomGenerator& generator, std::uint64_t counters, Device device);

/// For capturing: counters that this thread reserves are numbered from 0 and relative to `*device_offset`. Before each
/// replay the capturing code reserves counters() of the generator and writes the first one's position there.
class MINIMA_API PhiloxCapture {
 public:
  explicit PhiloxCapture(const std::uint64_t* device_offset);

  /// The number of counters that one replay uses.
  std::uint64_t counters() const { return used_; }

 private:
  friend PhiloxState reserve_philox(RandomGenerator& generator, std::uint64_t counters);
  const std::uint64_t* device_offset_;
  std::uint64_t used_ = 0;
  Scoped<PhiloxCapture*> scope_;
};

}  // namespace minima
