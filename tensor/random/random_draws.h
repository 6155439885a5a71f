#pragma once

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/random/normal.h>
#include <minima/tensor/random/philox.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

// The distributions of random_fill.h, shared by the CPU and CUDA sources: constructors check the parameters and round
// them to T, and operator() computes an element from its words of the stream.

namespace minima::detail {

__extension__ typedef unsigned __int128 Wide;

/// bits·range / 2^64, rounded down: an integer below range.
inline std::uint64_t scaled(std::uint64_t bits, std::uint64_t range) {
  return static_cast<std::uint64_t>(static_cast<Wide>(bits) * range >> 64);
}

MINIMA_HD inline std::uint64_t wide_word(const std::uint32_t* words, std::int64_t i) {
  return static_cast<std::uint64_t>(words[2 * i + 1]) << 32 | words[2 * i];
}

/// The type in which elements of type T are drawn: float, or double for 64-bit types.
template <class T>
inline constexpr bool is_wide = sizeof(T) == 8;
template <class T>
using Drawn = std::conditional_t<is_wide<T>, double, float>;

template <class T>
MINIMA_HD Drawn<T> unit(const std::uint32_t* words, std::int64_t i) {
  if constexpr (is_wide<T>) return uniform_double(words[2 * i], words[2 * i + 1]);
  else return uniform_float(words[i]);
}

/// The next larger or smaller number of type T; `value` is finite.
template <class T>
T stepped(T value, bool up) {
  if constexpr (sizeof(T) == 2) {
    const bool negative = (value.bits & 0x8000u) != 0;
    if ((value.bits & 0x7fffu) == 0) value.bits = up ? 0x0001u : 0x8001u;
    else value.bits = static_cast<std::uint16_t>(up == negative ? value.bits - 1 : value.bits + 1);
    return value;
  } else {
    return std::nextafter(value, up ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity());
  }
}

template <class T>
T rounded(double value) {
  if constexpr (sizeof(T) == 2) return T(static_cast<float>(value));
  else return static_cast<T>(value);
}

/// The smallest and largest number of type T in [low, high).
template <class T>
std::pair<T, T> bounds(double low, double high) {
  T least = rounded<T>(low), most = rounded<T>(high);
  if (static_cast<double>(least) < low) least = stepped(least, true);
  if (static_cast<double>(most) >= high) most = stepped(most, false);
  return {least, most};
}

template <class T>
struct UniformDraw {
  Drawn<T> start, range, minimum, maximum;
  UniformDraw(double low, double high) : start(static_cast<Drawn<T>>(low)), range(static_cast<Drawn<T>>(high - low)) {
    const auto [least, most] = bounds<T>(low, high);
    minimum = least;
    maximum = most;
    if (!(low < high && minimum <= maximum && std::isfinite(range)))
      throw ValueError(str("uniform: no range of ", dtype_of<T>, " from ", low, " to below ", high));
  }
  MINIMA_HD Drawn<T> operator()(const std::uint32_t* words, int i) const {
    const Drawn<T> value = start + range * unit<T>(words, i);
    const Drawn<T> raised = value < minimum ? minimum : value;
    return raised > maximum ? maximum : raised;
  }
};

template <class T>
struct NormalDraw {
  Drawn<T> mean, std;
  NormalDraw(double mean, double std) : mean(static_cast<Drawn<T>>(mean)), std(static_cast<Drawn<T>>(std)) {
    if (!(std >= 0.0 && std::isfinite(std) && std::isfinite(mean)))
      throw ValueError(
          str("normal: mean ", mean, " and standard deviation ", std, "; both must be finite, the latter ≥ 0"));
  }
  /// `words` starts at an even element.
  MINIMA_HD Drawn<T> operator()(const std::uint32_t* words, int i) const {
    NormalPair<Drawn<T>> pair;
    if constexpr (is_wide<T>) pair = normal_pair(words);
    else pair = normal_pair(words[i & ~1], words[i | 1]);
    return mean + std * ((i & 1) == 0 ? pair.even : pair.odd);
  }
};

template <class T>
struct IntegerDraw {
  std::uint64_t low, last;
  /// Throws unless T holds every integer of [low, high).
  IntegerDraw(std::int64_t low, std::int64_t high)
      : low(static_cast<std::uint64_t>(low)),
        last(static_cast<std::uint64_t>(high - 1) - static_cast<std::uint64_t>(low)) {
    if (low >= high) throw ValueError(str("randint: no integers from ", low, " to below ", high));
    std::int64_t least = 0, most = 1;
    if constexpr (std::is_integral_v<T>) {
      least = std::numeric_limits<T>::min();
      most = std::numeric_limits<T>::max();
    } else {
      constexpr int digits = std::is_same_v<T, BFloat16>  ? 8
                             : std::is_same_v<T, Float16> ? 11
                             : std::is_same_v<T, float>   ? 24
                                                          : 53;
      most = std::int64_t{1} << digits;
      least = -most;
    }
    if (low < least || high - 1 > most)
      throw ValueError(str("randint: ", dtype_of<T>, " does not hold all integers from ", low, " to ", high - 1));
  }
  MINIMA_HD std::int64_t operator()(const std::uint32_t* words, int i) const {
    if constexpr (is_wide<T>) {
      const std::uint64_t bits = wide_word(words, i);
      return static_cast<std::int64_t>(low + static_cast<std::uint64_t>((static_cast<Wide>(bits) * last + bits) >> 64));
    } else {
      const std::uint64_t product = static_cast<std::uint64_t>(words[i]) * static_cast<std::uint32_t>(last);
      const auto drawn = static_cast<std::uint32_t>((product + words[i]) >> 32);
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(low) + drawn);
    }
  }
};

template <class T>
struct BernoulliDraw {
  std::conditional_t<is_wide<T>, std::uint64_t, std::uint32_t> threshold;
  explicit BernoulliDraw(double probability) {
    if (!(probability >= 0.0 && probability <= 1.0))
      throw ValueError(str("bernoulli: probability ", probability, " is not between 0 and 1"));
    // u < p for u = k·2^-24 is k < ⌈p·2^24⌉.
    threshold = static_cast<decltype(threshold)>(std::ceil(probability * (is_wide<T> ? 0x1p53 : 0x1p24)));
  }
  MINIMA_HD float operator()(const std::uint32_t* words, int i) const {
    if constexpr (is_wide<T>) return wide_word(words, i) >> 11 < threshold ? 1.0f : 0.0f;
    else return words[i] >> 8 < threshold ? 1.0f : 0.0f;
  }
};

}  // namespace minima::detail
