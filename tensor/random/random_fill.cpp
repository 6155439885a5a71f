#include <minima/tensor/random/random_fill.h>

#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/random/normal.h>
#include <minima/tensor/random/philox.h>
#include <minima/tensor/random/random_draws.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

// Compiled without contraction to fused multiply-adds (see normal.h), so that a seed gives the same numbers everywhere.

namespace minima::detail {

namespace {

constexpr int group_blocks = 256;  // Philox blocks drawn at once; the buffer fits in the L1 cache
constexpr int group_words = 4 * group_blocks;

/// Calls draw(words, first, n) for groups of n elements; `words` starts with the words of element `first`. Wide
/// elements use two words each.
template <class Draw>
void for_each_group(RandomGenerator& generator, std::int64_t count, bool wide, Draw&& draw) {
  if (count <= 0) return;
  const std::int64_t per_block = wide ? 2 : 4, per_group = group_blocks * per_block;
  const std::int64_t blocks = (count - 1) / per_block + 1;
  const RandomGenerator::Position start = generator.reserve(static_cast<std::uint64_t>(blocks));
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

/// Stores half types through their bits: unlike copies of the struct, such loops vectorise.
template <class T>
void put(T& out, Drawn<T> value) {
  if constexpr (sizeof(T) == 2) out.bits = T(value).bits;
  else out = static_cast<T>(value);
}

// Each draws one group. Free functions with parameters by value, so that nothing appears to alias the output.

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
    if constexpr (is_wide<T>) normals = normal_pair(words + 4 * pair);
    else normals = normal_pair(words[2 * pair], words[2 * pair + 1]);
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
      // There is a vector instruction for 32-bit × 32-bit products, but none for 64-bit ones.
      const std::uint64_t product = static_cast<std::uint64_t>(words[i]) * static_cast<std::uint32_t>(last);
      const auto drawn = static_cast<std::uint32_t>((product + words[i]) >> 32);
      const auto value = static_cast<std::int32_t>(static_cast<std::uint32_t>(low) + drawn);
      if constexpr (std::is_integral_v<T>) out[i] = static_cast<T>(value);
      else put(out[i], static_cast<float>(value));
    }
  }
}

template <class T, class Threshold>
void bernoulli_group(T* out, const std::uint32_t* words, std::int64_t n, Threshold threshold) {
  for (std::int64_t i = 0; i < n; ++i) {
    if constexpr (is_wide<T>) out[i] = wide_word(words, i) >> 11 < threshold ? T(1) : T(0);
    else if constexpr (sizeof(T) == 2) out[i].bits = words[i] >> 8 < threshold ? T(1).bits : T(0).bits;
    else out[i] = static_cast<T>(words[i] >> 8 < threshold ? 1 : 0);
  }
}

}  // namespace

void fill_uniform(RandomGenerator& generator, DType dtype, void* data, std::int64_t count, double low, double high) {
  dispatch<floating>(dtype, "uniform", [&]<class T> {
    const UniformDraw<T> draw(low, high);
    T* const out = static_cast<T*>(data);
    for_each_group(generator, count, is_wide<T>, [&](const std::uint32_t* words, std::int64_t first, std::int64_t n) {
      uniform_group(out + first, words, n, draw.start, draw.range, draw.minimum, draw.maximum);
    });
  });
}

void fill_normal(RandomGenerator& generator, DType dtype, void* data, std::int64_t count, double mean, double std) {
  dispatch<floating>(dtype, "normal", [&]<class T> {
    const NormalDraw<T> draw(mean, std);
    T* const out = static_cast<T*>(data);
    for_each_group(generator, count, is_wide<T>, [&](const std::uint32_t* words, std::int64_t first, std::int64_t n) {
      normal_group(out + first, words, n, draw.mean, draw.std);
    });
  });
}

void fill_integers(RandomGenerator& generator, DType dtype, void* data, std::int64_t count, std::int64_t low,
                   std::int64_t high) {
  dispatch<all_types>(dtype, "randint", [&]<class T> {
    const IntegerDraw<T> draw(low, high);
    T* const out = static_cast<T*>(data);
    for_each_group(generator, count, is_wide<T>, [&](const std::uint32_t* words, std::int64_t first, std::int64_t n) {
      integer_group(out + first, words, n, draw.low, draw.last);
    });
  });
}

void fill_bernoulli(RandomGenerator& generator, DType dtype, void* data, std::int64_t count, double probability) {
  dispatch<all_types>(dtype, "bernoulli", [&]<class T> {
    const BernoulliDraw<T> draw(probability);
    T* const out = static_cast<T*>(data);
    for_each_group(generator, count, is_wide<T>, [&](const std::uint32_t* words, std::int64_t first, std::int64_t n) {
      bernoulli_group(out + first, words, n, draw.threshold);
    });
  });
}

void fill_permutation(RandomGenerator& generator, std::int64_t* data, std::int64_t count) {
  if (count < 0) throw ValueError(str("randperm: ", count, " elements"));
  for (std::int64_t i = 0; i < count; ++i) data[i] = i;
  const std::uint64_t blocks = static_cast<std::uint64_t>(count + 1) / 2;
  const RandomGenerator::Position start = generator.reserve(blocks);
  std::uint32_t words[group_words];
  // Last group first, in the order of the swaps.
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
