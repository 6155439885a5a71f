#include <minima/tensor/random_fill.h>

#include <minima/tensor/dispatch.h>
#include <minima/tensor/normal.h>
#include <minima/tensor/parallel.h>
#include <minima/tensor/philox.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

// Compiled without contraction to fused multiply-adds (see normal.h): the same seed gives the same numbers everywhere.

namespace minima::detail {

namespace {

constexpr int group_blocks = 256;  // Philox blocks drawn at once into a buffer that stays in the first-level cache
constexpr int group_words = 4 * group_blocks;

/// Calls draw(words, first, n) for groups of elements: the words of element `first` on. Wide elements take two each.
template <class Draw>
void for_each_group(Generator& generator, std::int64_t count, bool wide, Draw&& draw) {
  if (count <= 0) return;
  const std::int64_t per_block = wide ? 2 : 4, per_group = group_blocks * per_block;
  const std::int64_t blocks = (count - 1) / per_block + 1;
  const Generator::Position start = generator.reserve(static_cast<std::uint64_t>(blocks));
  parallel_for(0, (count - 1) / per_group + 1, 8, [&](std::int64_t first_group, std::int64_t last_group) {
    alignas(64) std::uint32_t words[group_words];
    for (std::int64_t group = first_group; group < last_group; ++group) {
      const std::int64_t block = group * group_blocks, first = group * per_group;
      philox_words(start.seed, start.offset + static_cast<std::uint64_t>(block), words,
                   std::min<std::int64_t>(group_blocks, blocks - block));
      draw(words, first, std::min(per_group, count - first));
    }
  });
}

__extension__ typedef unsigned __int128 Wide;

/// bits·range / 2^64, rounded down: an integer below range.
std::uint64_t scaled(std::uint64_t bits, std::uint64_t range) {
  return static_cast<std::uint64_t>(static_cast<Wide>(bits) * range >> 64);
}

std::uint64_t wide_word(const std::uint32_t* words, std::int64_t i) {
  return static_cast<std::uint64_t>(words[2 * i + 1]) << 32 | words[2 * i];
}

/// What an element type is drawn in: float, or double for the 64-bit types.
template <class T>
inline constexpr bool is_wide = sizeof(T) == 8;
template <class T>
using Drawn = std::conditional_t<is_wide<T>, double, float>;

template <class T>
Drawn<T> unit(const std::uint32_t* words, std::int64_t i) {
  if constexpr (is_wide<T>)
    return uniform_double(words[2 * i], words[2 * i + 1]);
  else
    return uniform_float(words[i]);
}

/// The neighbours of a finite number; T is any floating dtype.
template <class T>
T stepped(T value, bool up) {
  if constexpr (sizeof(T) == 2) {
    const bool negative = (value.bits & 0x8000u) != 0;
    if ((value.bits & 0x7fffu) == 0)
      value.bits = up ? 0x0001u : 0x8001u;
    else
      value.bits = static_cast<std::uint16_t>(up == negative ? value.bits - 1 : value.bits + 1);
    return value;
  } else {
    return std::nextafter(value, up ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity());
  }
}

template <class T>
T rounded(double value) {
  if constexpr (sizeof(T) == 2)
    return T(static_cast<float>(value));
  else
    return static_cast<T>(value);
}

/// The two ends of what T can represent in [low, high).
template <class T>
std::pair<T, T> bounds(double low, double high) {
  T least = rounded<T>(low), most = rounded<T>(high);
  if (static_cast<double>(least) < low) least = stepped(least, true);
  if (static_cast<double>(most) >= high) most = stepped(most, false);
  return {least, most};
}

/// Half types are stored by their bits, which loops vectorise, unlike copies of the type.
template <class T>
void put(T& out, Drawn<T> value) {
  if constexpr (sizeof(T) == 2)
    out.bits = T(value).bits;
  else
    out = static_cast<T>(value);
}

// One group each. Free functions with parameters by value, so that nothing seems to alias the output.

template <class T, class D>
void uniform_group(T* out, const std::uint32_t* words, std::int64_t n, D start, D range, D minimum, D maximum) {
  for (std::int64_t i = 0; i < n; ++i) {
    const D value = start + range * unit<T>(words, i);
    put(out[i], std::min(std::max(value, minimum), maximum));
  }
}

template <class T, class D>
void normal_group(T* out, const std::uint32_t* words, std::int64_t n, D mean, D std) {
  alignas(64) D values[is_wide<T> ? group_words / 2 : group_words];
  for (std::int64_t pair = 0; pair < (n + 1) / 2; ++pair) {
    NormalPair<D> normals;
    if constexpr (is_wide<T>)
      normals = normal_pair(words + 4 * pair);
    else
      normals = normal_pair(words[2 * pair], words[2 * pair + 1]);
    values[2 * pair] = mean + std * normals.even;
    values[2 * pair + 1] = mean + std * normals.odd;
  }
  for (std::int64_t i = 0; i < n; ++i) put(out[i], values[i]);
}

template <class T>
void integer_group(T* out, const std::uint32_t* words, std::int64_t n, std::uint64_t low, std::uint64_t last) {
  for (std::int64_t i = 0; i < n; ++i) {
    if constexpr (is_wide<T>) {
      const std::uint64_t bits = wide_word(words, i);
      const auto drawn = static_cast<std::uint64_t>((static_cast<Wide>(bits) * last + bits) >> 64);
      out[i] = static_cast<T>(static_cast<std::int64_t>(low + drawn));
    } else {
      // A product of two 32-bit numbers has a vector instruction; one of 64-bit numbers has not.
      const std::uint64_t product = static_cast<std::uint64_t>(words[i]) * static_cast<std::uint32_t>(last);
      const auto drawn = static_cast<std::uint32_t>((product + words[i]) >> 32);
      const auto value = static_cast<std::int32_t>(static_cast<std::uint32_t>(low) + drawn);
      if constexpr (std::is_integral_v<T>)
        out[i] = static_cast<T>(value);
      else
        put(out[i], static_cast<float>(value));
    }
  }
}

template <class T, class Threshold>
void bernoulli_group(T* out, const std::uint32_t* words, std::int64_t n, Threshold threshold) {
  for (std::int64_t i = 0; i < n; ++i) {
    if constexpr (is_wide<T>)
      out[i] = wide_word(words, i) >> 11 < threshold ? T(1) : T(0);
    else if constexpr (sizeof(T) == 2)
      out[i].bits = words[i] >> 8 < threshold ? T(1).bits : T(0).bits;
    else
      out[i] = static_cast<T>(words[i] >> 8 < threshold ? 1 : 0);
  }
}

void expect_probability(double probability) {
  if (!(probability >= 0.0 && probability <= 1.0))
    throw ValueError(str("bernoulli: probability ", probability, " is not between 0 and 1"));
}

/// Throws unless T holds every integer of [low, high).
template <class T>
void expect_representable(DType dtype, std::int64_t low, std::int64_t high) {
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
    throw ValueError(str("randint: ", dtype, " does not hold all integers from ", low, " to ", high - 1));
}

}  // namespace

void fill_uniform(Generator& generator, DType dtype, void* data, std::int64_t count, double low, double high) {
  dispatch<floating>(dtype, "uniform", [&]<class T> {
    const auto [least, most] = bounds<T>(low, high);
    const Drawn<T> start = static_cast<Drawn<T>>(low), range = static_cast<Drawn<T>>(high - low);
    const Drawn<T> minimum = least, maximum = most;
    if (!(low < high && minimum <= maximum && std::isfinite(range)))
      throw ValueError(str("uniform: no range of ", dtype, " from ", low, " to below ", high));
    T* const out = static_cast<T*>(data);
    for_each_group(generator, count, is_wide<T>, [&](const std::uint32_t* words, std::int64_t first, std::int64_t n) {
      uniform_group(out + first, words, n, start, range, minimum, maximum);
    });
  });
}

void fill_normal(Generator& generator, DType dtype, void* data, std::int64_t count, double mean, double std) {
  if (!(std >= 0.0 && std::isfinite(std) && std::isfinite(mean)))
    throw ValueError(
        str("normal: mean ", mean, " and standard deviation ", std, "; both must be finite, the latter ≥ 0"));
  dispatch<floating>(dtype, "normal", [&]<class T> {
    const auto shift = static_cast<Drawn<T>>(mean), scale = static_cast<Drawn<T>>(std);
    T* const out = static_cast<T*>(data);
    for_each_group(generator, count, is_wide<T>, [&](const std::uint32_t* words, std::int64_t first, std::int64_t n) {
      normal_group(out + first, words, n, shift, scale);
    });
  });
}

void fill_integers(Generator& generator, DType dtype, void* data, std::int64_t count, std::int64_t low,
                   std::int64_t high) {
  if (low >= high) throw ValueError(str("randint: no integers from ", low, " to below ", high));
  dispatch<all_types>(dtype, "randint", [&]<class T> {
    expect_representable<T>(dtype, low, high);
    const std::uint64_t start = static_cast<std::uint64_t>(low), last = static_cast<std::uint64_t>(high - 1) - start;
    T* const out = static_cast<T*>(data);
    for_each_group(generator, count, is_wide<T>, [&](const std::uint32_t* words, std::int64_t first, std::int64_t n) {
      integer_group(out + first, words, n, start, last);
    });
  });
}

void fill_bernoulli(Generator& generator, DType dtype, void* data, std::int64_t count, double probability) {
  expect_probability(probability);
  dispatch<all_types>(dtype, "bernoulli", [&]<class T> {
    // u < p for u = k·2^-24 is k < ⌈p·2^24⌉.
    const double scale = is_wide<T> ? 0x1p53 : 0x1p24;
    const auto threshold =
        static_cast<std::conditional_t<is_wide<T>, std::uint64_t, std::uint32_t>>(std::ceil(probability * scale));
    T* const out = static_cast<T*>(data);
    for_each_group(generator, count, is_wide<T>, [&](const std::uint32_t* words, std::int64_t first, std::int64_t n) {
      bernoulli_group(out + first, words, n, threshold);
    });
  });
}

void fill_permutation(Generator& generator, std::int64_t* data, std::int64_t count) {
  if (count < 0) throw ValueError(str("randperm: ", count, " elements"));
  for (std::int64_t i = 0; i < count; ++i) data[i] = i;
  const std::uint64_t blocks = static_cast<std::uint64_t>(count + 1) / 2;
  const Generator::Position start = generator.reserve(blocks);
  std::uint32_t words[group_words];
  // Groups from the last to the first, as the swaps go.
  for (std::int64_t group = (count - 1) / (group_words / 2); group >= 0 && count > 0; --group) {
    const std::int64_t first = group * (group_words / 2), n = std::min<std::int64_t>(group_words / 2, count - first);
    philox_words(start.seed, start.offset + static_cast<std::uint64_t>(group) * group_blocks, words, (n + 1) / 2);
    for (std::int64_t i = n - 1; i >= 0; --i) {
      const auto bound = static_cast<std::uint64_t>(first + i + 1);
      const auto other = static_cast<std::int64_t>(scaled(wide_word(words, i), bound));
      std::swap(data[first + i], data[other]);
    }
  }
}

}  // namespace minima::detail
