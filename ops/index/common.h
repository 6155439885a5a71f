#pragma once

#include <minima/tensor/tensor.h>

// Operators with indices share these: checks, scalars as vectors, and the gradient of gather. Internal.

namespace minima::detail {

/// Whether every index is at least `low` and below `high`. On the CPU.
bool indices_within(const Tensor& index, std::int64_t low, std::int64_t high);
/// Throws IndexError, with op, position and value, unless the whole index is in range.
void check_indices(const char* op, const Tensor& index, int dim, std::int64_t size);
/// Throws DTypeError unless argument 1, the index, is int64.
void check_index(const char* op, const Tensor& index);
/// Throws DTypeError unless argument 2, the source, has x's dtype.
void check_source(const char* op, const Tensor& x, const Tensor& source);
/// Throws IndexError unless every index is in range; negative ones count from the end. On a GPU, reading finds out.
void check_range(const char* op, const Tensor& index, std::int64_t size);

/// Zeros of `shape` with `source` added at `index`, as in scatter_add: gather's gradient, whose index is already
/// checked. Differentiable.
Tensor scattered(const Tensor& source, int dim, const Tensor& index, const Shape& shape);

/// x, or a scalar as the vector of one element as which indexing along a dimension counts it.
Tensor as_vector(const Tensor& x);
/// Whether some of these are scalars and the others vectors.
template <class... In>
bool mixes_scalars(const In&... in) {
  return (... || (in.rank() == 0)) && (... || (in.rank() == 1)) && (... && (in.rank() <= 1));
}

}  // namespace minima::detail
