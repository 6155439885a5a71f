#pragma once

#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

// Parts of a random tensor, for processes that have only those. Internal.

namespace minima::detail {

/// The Philox counters that so many elements of a floating dtype consume.
std::uint64_t random_counters(DType dtype, std::int64_t count);

/// Fill a contiguous floating tensor with the elements from `begin` on of the tensor that `uniform_` or `normal_` would
/// draw from this position. On any device; the numbers are the same to the bit.
void draw_uniform_range(const Tensor& out, std::int64_t begin, RandomGenerator::Position start, double low,
                        double high);
void draw_normal_range(const Tensor& out, std::int64_t begin, RandomGenerator::Position start, double mean, double std);

}  // namespace minima::detail
