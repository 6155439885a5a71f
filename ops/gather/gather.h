#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// y[i][j][k] = x[i][index[i][j][k]][k] (for dim = 1). The int64 index has x's rank and no larger sizes except along
/// dim; the result has its shape. A scalar counts as a vector of one element. Differentiable with respect to x. Throws
/// IndexError for an index out of range.
MINIMA_API Tensor gather(const Tensor& x, std::int64_t dim, const Tensor& index);
/// A copy of x with source[i][j][k] added to element [i][index[i][j][k]][k] (for dim = 1); repeated targets accumulate
/// in row-major order of the source. The source has the index's shape and x's dtype. A scalar counts as a vector of one
/// element. Differentiable with respect to x and source.
MINIMA_API Tensor scatter_add(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source);

}  // namespace minima
