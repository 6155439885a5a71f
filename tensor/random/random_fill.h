#pragma once

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/random/generator.h>

#include <cstdint>

// Random numbers for `count` contiguous elements in CPU memory. Element i depends only on the generator's state and i:
// elements of up to 32 bits use word i%4 at position offset + i/4 of the Philox stream, 64-bit elements the words
// 2(i%2) and 2(i%2)+1 at offset + i/2. A call consumes ceil(count/4) or ceil(count/2) positions. Half-precision numbers
// are drawn in float and rounded.

namespace minima::detail {

/// Uniform on [low, high): low + (high - low)·u, where u has 24 bits (float64: 53). A value that rounds to `high` is
/// replaced by the next smaller number. Floating dtypes; low < high, both finite.
MINIMA_API void fill_uniform(RandomGenerator& generator, DType dtype, void* data, std::int64_t count, double low,
                             double high);

/// mean + std·z with z from normal.h; elements 2k and 2k+1 are one pair. Floating dtypes.
MINIMA_API void fill_normal(RandomGenerator& generator, DType dtype, void* data, std::int64_t count, double mean,
                            double std);

/// Integers on [low, high): low + (w·(high - low) >> b), where w is the element's b = 32 random bits, or 64 for int64
/// and float64 (Lemire 2019, without rejection). A value's probability differs from 1/(high - low) by a relative error
/// of at most (high - low)/2^b; use int64 if a range of many millions must be uniform. Every dtype that holds the
/// bounds.
MINIMA_API void fill_integers(RandomGenerator& generator, DType dtype, void* data, std::int64_t count, std::int64_t low,
                              std::int64_t high);

/// 1 if u < probability, else 0, with u as in `fill_uniform`. Every dtype.
MINIMA_API void fill_bernoulli(RandomGenerator& generator, DType dtype, void* data, std::int64_t count,
                               double probability);

/// A random permutation of 0 … count-1 by Fisher-Yates: for i from count-1 down to 1, swaps element i with element
/// r_i·(i + 1) >> 64, where r_i are the 64 bits of element i. Consumes ceil(count/2) positions.
MINIMA_API void fill_permutation(RandomGenerator& generator, std::int64_t* data, std::int64_t count);

}  // namespace minima::detail
