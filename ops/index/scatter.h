#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>

// Copies of a tensor with elements or slices replaced by those of a source, or combined with them. Indices are int64;
// those out of range throw IndexError. Along a dimension, scalars count as vectors of one element. All dtypes;
// differentiable to any order.

namespace minima {

/// A copy of x with element [i][index[i][j][k]][k] = source[i][j][k] (for dim = 1); the last of several values wins.
/// Scalars count as vectors of one element.
MINIMA_API Tensor scatter(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source);
/// A copy of x with source[i][j][k] added to element [i][index[i][j][k]][k] (for dim = 1); repeated targets accumulate
/// in row-major order of the source. The source has the index's shape and x's dtype. A scalar counts as a vector of one
/// element. Differentiable with respect to x and source.
MINIMA_API Tensor scatter_add(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source);

/// How `scatter_reduce` combines the elements of one target.
enum class ScatterMode : std::uint8_t { sum, mean, amax, amin, prod };
/// A copy of x with all source[i][j][k] for which index[i][j][k] is the same (for dim = 1) combined with element
/// [i][index][k], or without it unless `include_self`; targets without a source keep x. The index has the source's
/// shape, x's rank and no larger sizes except along dim. Equal extremes share the gradient evenly. All dtypes but bool,
/// the mean floating ones only.
MINIMA_API Tensor scatter_reduce(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source,
                                 ScatterMode mode, bool include_self = true);

/// A copy of x with source[…, i, …] added to x[…, index[i], …] along `dim` for an int64 vector; scalars count as
/// vectors of one element.
MINIMA_API Tensor index_add(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source);
/// A copy of x with x[…, index[i], …] along `dim` replaced by source[…, i, …] for a vector of indices; of repeated
/// ones, the last wins.
MINIMA_API Tensor index_copy(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source);
/// A copy of x with x[…, index[i], …] along `dim` set to `value` for a vector of indices.
MINIMA_API Tensor index_fill(const Tensor& x, std::int64_t dim, const Tensor& index, Scalar value);
/// A copy of x with all slices source[…, i, …] along `dim` for which index[i] is the same combined with that slice of
/// x, or without it unless `include_self`; the index is a vector.
MINIMA_API Tensor index_reduce(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source,
                               ScatterMode mode, bool include_self = true);

/// A copy of x with the elements at these row-major positions replaced by the source's, or with them added.
MINIMA_API Tensor put(const Tensor& x, const Tensor& index, const Tensor& source, bool accumulate = false);

}  // namespace minima
