#pragma once

#include <minima/tensor/tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace at::detail {

/// The Mersenne twister MT19937 (Matsumoto and Nishimura 1998): the numbers of std::mt19937, of which this makes 624 at
/// once in loops that compilers vectorise.
class MersenneTwister {
 public:
  void seed(std::uint32_t seed);
  std::uint32_t operator()() {
    if (next_ == size) refill();
    return numbers_[next_++];
  }

 private:
  static constexpr std::size_t size = 624;
  void refill();

  std::array<std::uint32_t, size> state_{}, numbers_{};
  std::size_t next_ = size;
};

/// PyTorch's random numbers on a CPU: the Mersenne twister MT19937 and the ways in which PyTorch turns its numbers into
/// those of a distribution. A seed gives the numbers that PyTorch draws for it, in the same order; normal ones of
/// float32 agree to a few units in the last place. Where PyTorch draws with MKL, which it does for Bernoulli and
/// exponential numbers on Intel's processors, these are its numbers on others. Not for several threads at once.
class RandomStream {
 public:
  /// The default seed of PyTorch's generators.
  static constexpr std::uint64_t default_seed = 67280421310721;

  explicit RandomStream(std::uint64_t seed = default_seed) { manual_seed(seed); }
  void manual_seed(std::uint64_t seed) {
    engine_.seed(static_cast<std::uint32_t>(seed));
    next_normal_.reset();
  }

  /// 32 and 64 random bits.
  std::uint32_t random() { return engine_(); }
  std::uint64_t random64() {
    const std::uint64_t high = random();
    return high << 32 | random();
  }

  // New contiguous tensors on the CPU. Floating dtypes unless said otherwise.

  /// Uniform on [low, high).
  minima::Tensor uniform(const minima::Shape& shape, minima::DType dtype, double low = 0, double high = 1);
  /// `contiguous` says whether the tensor for which they are is, since PyTorch then pairs the numbers differently.
  minima::Tensor normal(const minima::Shape& shape, minima::DType dtype, double mean = 0, double deviation = 1,
                        bool contiguous = true);
  minima::Tensor exponential(const minima::Shape& shape, minima::DType dtype, double rate = 1);
  /// Integers of [low, low + count) in any dtype; a count of 0 means all of int64.
  minima::Tensor integers(const minima::Shape& shape, minima::DType dtype, std::int64_t low, std::uint64_t count);
  /// 1 with probability p, else 0, in any dtype.
  minima::Tensor bernoulli(const minima::Shape& shape, minima::DType dtype, double p);
  /// 1 where a number is below that of `p`, in p's dtype.
  minima::Tensor bernoulli(const minima::Tensor& p);
  /// Gamma(c, 1) for each concentration c, in float64 (Marsaglia and Tsang, A simple method for generating gamma
  /// variables, 2000).
  minima::Tensor gamma(const minima::Tensor& concentration);
  /// The numbers 0 … n - 1 in random order.
  minima::Tensor permutation(std::int64_t n, minima::DType dtype);

 private:
  /// A number of [0, 1) with so many random bits.
  template <class T> T draw_uniform(int digits = std::numeric_limits<T>::digits);
  double draw_normal();
  double draw_gamma(double concentration);

  MersenneTwister engine_;
  std::optional<double> next_normal_;  ///< the second of a pair
};

}  // namespace at::detail
