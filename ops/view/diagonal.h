#pragma once

#include <minima/tensor/tensor.h>

// Diagonals and triangles of matrices. All dtypes; differentiable to any order.

namespace minima {

/// The elements whose indices in dimensions dim1 and dim2 are i and i + offset. Both dimensions are removed, and i
/// becomes the last one: diagonal(x [2, 3, 4], 0, 1, 2) is [2, 3]. Empty if no element is on the diagonal. A view.
MINIMA_API Tensor diagonal(const Tensor& x, std::int64_t offset = 0, std::int64_t dim1 = 0, std::int64_t dim2 = 1);
/// A vector becomes the diagonal of a square matrix of zeros, `offset` columns right of the main one; of a matrix, the
/// diagonal.
MINIMA_API Tensor diag(const Tensor& x, std::int64_t offset = 0);
/// Matrices of zeros with the last dimension of x as a diagonal; dim1 and dim2 are the matrices' dimensions in the
/// result.
MINIMA_API Tensor diag_embed(const Tensor& x, std::int64_t offset = 0, std::int64_t dim1 = -2, std::int64_t dim2 = -1);
/// A copy of x with diagonal(x, offset, dim1, dim2) replaced by `source`, which has its shape and x's dtype.
MINIMA_API Tensor diagonal_scatter(const Tensor& x, const Tensor& source, std::int64_t offset = 0,
                                   std::int64_t dim1 = 0, std::int64_t dim2 = 1);

/// The lower triangle of the last two dimensions, 0 elsewhere: elements with column - row ≤ diagonal.
MINIMA_API Tensor tril(const Tensor& x, std::int64_t diagonal = 0);
/// The upper triangle: column - row ≥ diagonal.
MINIMA_API Tensor triu(const Tensor& x, std::int64_t diagonal = 0);

}  // namespace minima
