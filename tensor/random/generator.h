#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>

namespace minima {

/// A stream of random numbers: a seed and how many counters of it are used up. Two words are its whole state. Calls
/// from several threads are safe; which thread gets which numbers is then up to their order.
class MINIMA_API RandomGenerator {
 public:
  explicit RandomGenerator(std::uint64_t seed = 0) : seed_(seed) {}
  RandomGenerator(const RandomGenerator&) = delete;
  RandomGenerator& operator=(const RandomGenerator&) = delete;

  /// Where a call starts to draw.
  struct Position {
    std::uint64_t seed;
    std::uint64_t offset;
  };
  /// Reserves `counters` Philox counters and returns where they start. A call over n elements of up to 32 bits needs
  /// ceil(n/4), of 64 bits ceil(n/2).
  Position reserve(std::uint64_t counters);

  void manual_seed(std::uint64_t seed) { set_state({seed, 0}); }
  Position state() const;
  void set_state(Position state);

 private:
  mutable std::uint32_t locked_ = 0;
  std::uint64_t seed_;
  std::uint64_t offset_ = 0;
};

/// The generator that operators use when none is given.
MINIMA_API RandomGenerator& default_generator();
/// Restarts the default generator of every device.
MINIMA_API void manual_seed(std::uint64_t seed);

}  // namespace minima
