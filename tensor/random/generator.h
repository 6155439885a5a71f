#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>

namespace minima {

/// A stream of random numbers. Its state is a seed and the number of Philox counters used so far. Thread-safe; the
/// order of concurrent calls decides which thread gets which numbers.
class MINIMA_API RandomGenerator {
 public:
  explicit RandomGenerator(std::uint64_t seed = 0) : seed_(seed) {}
  RandomGenerator(const RandomGenerator&) = delete;
  RandomGenerator& operator=(const RandomGenerator&) = delete;

  /// The position in the stream at which a call starts to draw.
  struct Position {
    std::uint64_t seed;
    std::uint64_t offset;
  };
  /// Reserves `counters` Philox counters and returns the first one's position. n elements of up to 32 bits need
  /// ceil(n/4) counters, 64-bit elements ceil(n/2).
  Position reserve(std::uint64_t counters);

  void manual_seed(std::uint64_t seed) { set_state({seed, 0}); }
  Position state() const;
  void set_state(Position state);

 private:
  mutable std::uint32_t locked_ = 0;
  std::uint64_t seed_;
  std::uint64_t offset_ = 0;
};

/// The generator that operators use by default. Until `manual_seed`, its seed differs from process to process; the
/// environment variable MINIMA_SEED (a decimal number) sets it instead.
MINIMA_API RandomGenerator& default_generator();
/// Seeds the default generator, which serves all devices. Data loaders and `data::random_split` without seeds of their
/// own follow it too.
MINIMA_API void manual_seed(std::uint64_t seed);
/// The default generator's seed. Store it: `manual_seed` of it repeats the run.
MINIMA_API std::uint64_t initial_seed();
/// Seeds the default generator from the operating system and returns the seed, as torch.seed does.
MINIMA_API std::uint64_t reseed();

}  // namespace minima
