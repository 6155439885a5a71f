#pragma once

#include <minima/tensor/tensor.h>

// Elements and slices of a tensor by their indices along a dimension or in row-major order. Indices are int64; those
// out of range throw IndexError. All dtypes; differentiable to any order.

namespace minima {

/// y[…, i, …] = x[…, index[i], …] along `dim` for an int64 vector. Throws IndexError for an index out of range.
MINIMA_API Tensor index_select(const Tensor& x, std::int64_t dim, const Tensor& index);
/// y[i][j][k] = x[i][index[i][j][k]][k] (for dim = 1). The int64 index has x's rank and no larger sizes except along
/// dim; the result has its shape. A scalar counts as a vector of one element. Differentiable with respect to x. Throws
/// IndexError for an index out of range.
MINIMA_API Tensor gather(const Tensor& x, std::int64_t dim, const Tensor& index);
/// `gather` with an index that broadcasts with x in all dimensions but `dim`, for the results of argsort and argmax.
MINIMA_API Tensor take_along_dim(const Tensor& x, const Tensor& index, std::int64_t dim);
/// x's elements in row-major order at these indices, which may be negative: a tensor of the index's shape.
MINIMA_API Tensor take(const Tensor& x, const Tensor& index);

}  // namespace minima
