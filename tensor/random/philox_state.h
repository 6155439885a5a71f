#pragma once

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/scope.h>
#include <minima/tensor/random/generator.h>

namespace minima {

/// Where a kernel starts to draw. Captured work is replayed with the same arguments, so there the offset that advances
/// from replay to replay lies in device memory and `offset` only counts within one replay.
struct PhiloxState {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
  const std::uint64_t* device_offset = nullptr;  ///< in the GPU's memory; null outside of captured work

  /// The counter at which the call starts.
  MINIMA_HD std::uint64_t position() const { return device_offset ? offset + *device_offset : offset; }
};

/// Reserves `counters` of the generator for a kernel on the current thread's GPU: the one call for kernels that draw.
MINIMA_API PhiloxState reserve_philox(RandomGenerator& generator, std::uint64_t counters);
/// The same for work on `device`; what the CPU draws is never part of captured work.
MINIMA_API PhiloxState reserve_philox(RandomGenerator& generator, std::uint64_t counters, Device device);

/// While it lives, what this thread reserves counts from 0 and reads its start from `device_offset`: for capturing.
/// Before each replay the capturing code reserves counters() of the generator and writes their start there.
class MINIMA_API PhiloxCapture {
 public:
  explicit PhiloxCapture(const std::uint64_t* device_offset);

  /// How many counters one replay uses.
  std::uint64_t counters() const { return used_; }

 private:
  friend PhiloxState reserve_philox(RandomGenerator& generator, std::uint64_t counters);
  const std::uint64_t* device_offset_;
  std::uint64_t used_ = 0;
  Scoped<PhiloxCapture*> scope_;
};

}  // namespace minima
