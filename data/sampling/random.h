#pragma once

#include <minima/tensor/random/philox.h>

#include <cstdint>
#include <vector>

namespace minima::data {

/// The numbers from `low` to `high`, such as the scales that a transform may draw.
struct Interval {
  double low, high;
};

/// A random stream that is a pure function of its key: the same key gives the same numbers on every machine, thread
/// and run. Its period is 2⁶⁶ words.
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
  /// Draws a number whose logarithm is uniform: one from 1/2 to 1 is as likely as one from 1 to 2.
  double log_uniform(const Interval& range);
  bool chance(double probability) { return uniform() < probability; }
  /// Uniform on 0 … count - 1, unbiased. count ≥ 1.
  std::int64_t below(std::int64_t count);

 private:
  std::uint64_t key_;
  std::uint64_t position_ = 0;
  Philox::Block block_{};
  int used_ = 4;
};

/// The seed of loaders and splits that have none of their own: initial_seed(), which `manual_seed` sets. In a job of
/// several processes that `distributed::init` joined, rank 0's, so that all ranks shuffle and split alike; after a
/// `manual_seed` that follows init, the one given there, which must then be the same on all ranks.
MINIMA_API std::uint64_t default_seed();

/// Hashes a key and two numbers to a new key, as `fold_in` does in JAX.
MINIMA_API std::uint64_t derived_key(std::uint64_t key, std::uint64_t a, std::uint64_t b);

/// A uniformly random permutation of 0 … count - 1, determined by seed and epoch.
MINIMA_API std::vector<std::int64_t> permutation(std::int64_t count, std::uint64_t seed, std::uint64_t epoch);

}  // namespace minima::data
