#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>

// More ways to read and write single elements, with PyTorch's definitions. Indices are int64; those out of range throw
// IndexError. Along a dimension, scalars count as vectors of one element. All dtypes; differentiable to any order.

namespace minima {

/// x's elements in row-major order at these indices, which may be negative: a tensor of the index's shape.
MINIMA_API Tensor take(const Tensor& x, const Tensor& index);
/// `gather` with an index that broadcasts with x in all dimensions but `dim`, for the results of argsort and argmax.
MINIMA_API Tensor take_along_dim(const Tensor& x, const Tensor& index, std::int64_t dim);
/// A copy of x with the elements at these row-major positions replaced by the source's, or with them added.
MINIMA_API Tensor put(const Tensor& x, const Tensor& index, const Tensor& source, bool accumulate = false);
/// A copy of x with x[…, index[i], …] along `dim` replaced by source[…, i, …] for a vector of indices; of repeated
/// ones, the last wins.
MINIMA_API Tensor index_copy(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source);
/// A copy of x with x[…, index[i], …] along `dim` set to `value` for a vector of indices.
MINIMA_API Tensor index_fill(const Tensor& x, std::int64_t dim, const Tensor& index, Scalar value);
/// A copy of x with the elements where the mask (bool, broadcasts to x) is true replaced by the source's first ones,
/// in row-major order. Throws ShapeError if the source has too few, on a GPU an IndexError at the next synchronisation.
MINIMA_API Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source);

/// How `scatter_reduce` combines the elements of one target.
enum class ScatterMode : std::uint8_t { sum, mean, amax, amin, prod };
/// A copy of x with all source[i][j][k] for which index[i][j][k] is the same (for dim = 1) combined with element
/// [i][index][k], or without it unless `include_self`; targets without a source keep x. The index has the source's
/// shape, x's rank and no larger sizes except along dim. Equal extremes share the gradient evenly. All dtypes but bool,
/// the mean floating ones only.
MINIMA_API Tensor scatter_reduce(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source,
                                 ScatterMode mode, bool include_self = true);

}  // namespace minima
