#pragma once

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/random/generator.h>

#include <cstdint>

// Random numbers for `count` contiguous elements in CPU memory. Element i depends on the generator's state and i alone:
// elements of up to 32 bits take word i%4 at position offset + i/4 of the Philox stream, those of 64 bits the words
// 2(i%2) and 2(i%2)+1 at offset + i/2. A call uses up ceil(count/4) or ceil(count/2) positions. Half precision is drawn
// in float and rounded.

namespace minima::detail {

/// Uniform on [low, high): low + (high - low)·u with u of 24 bits (float64: 53); what rounds up to `high` becomes the
/// number before it. Floating dtypes; low < high, finite.
MINIMA_API void fill_uniform(RandomGenerator& generator, DType dtype, void* data, std::int64_t count, double low,
                             double high);

/// mean + std·z with z of normal.h: elements 2k and 2k+1 are the cosine and the sine of one pair. Floating dtypes.
MINIMA_API void fill_normal(RandomGenerator& generator, DType dtype, void* data, std::int64_t count, double mean,
                            double std);

/// Integers on [low, high): low + (w·(high - low) >> b) with the element's b = 32 random bits, or 64 for int64 and
/// float64 (Lemire 2019 without rejection). A value's probability is within (high - low)/2^b of 1/(high - low),
/// relatively: use int64 where a range of many millions must be even. Every dtype that can hold the bounds.
MINIMA_API void fill_integers(RandomGenerator& generator, DType dtype, void* data, std::int64_t count, std::int64_t low,
                              std::int64_t high);

/// 1 with this probability, else 0: u < probability with the u of `fill_uniform`. Every dtype.
MINIMA_API void fill_bernoulli(RandomGenerator& generator, DType dtype, void* data, std::int64_t count,
                               double probability);

/// A permutation of 0 … count-1 by Fisher and Yates: for i from count-1 down to 1, swap with element
/// r_i·(i + 1) >> 64, where r_i are the 64 bits of element i. Uses up ceil(count/2) positions.
MINIMA_API void fill_permutation(RandomGenerator& generator, std::int64_t* data, std::int64_t count);

}  // namespace minima::detail
