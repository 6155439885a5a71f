#pragma once

#include <minima/tensor/random/philox.h>

#include <cstdint>
#include <vector>

namespace minima::data {

/// A stream of random numbers that is a pure function of its key: the same key gives the same numbers on every machine,
/// thread and run. 2⁶⁶ words long.
class MINIMA_API RandomStream {
 public:
  explicit RandomStream(std::uint64_t key) : key_(key) {}

  std::uint32_t word() {
    if (used_ == 4) {
      block_ = Philox::at(key_, position_++);
      used_ = 0;
    }
    return block_.word[used_++];
  }
  std::uint64_t wide() {
    const std::uint64_t low = word();
    return low | std::uint64_t{word()} << 32;
  }
  /// Uniform on [0, 1), 53 bits.
  double uniform() { return static_cast<double>(wide() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  bool chance(double probability) { return uniform() < probability; }
  /// Uniform on 0 … count - 1, without bias. count ≥ 1.
  std::int64_t below(std::int64_t count);

 private:
  std::uint64_t key_;
  std::uint64_t position_ = 0;
  Philox::Block block_{};
  int used_ = 4;
};

/// A key made of a key and two numbers; distinct arguments give unrelated keys.
MINIMA_API std::uint64_t derived_key(std::uint64_t key, std::uint64_t a, std::uint64_t b);

/// A uniformly random order of 0 … count - 1 that depends on seed and epoch alone.
MINIMA_API std::vector<std::int64_t> permutation(std::int64_t count, std::uint64_t seed, std::uint64_t epoch);

}  // namespace minima::data
