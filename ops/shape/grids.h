#pragma once

#include <minima/tensor/tensor.h>

#include <span>
#include <vector>

// Grids, combinations and diagonals of matrices, with PyTorch's definitions. All dtypes; differentiable to any order.

namespace minima {

/// The coordinates of a grid: vectors [N₀], [N₁], … (or scalars) → views of shape [N₀, N₁, …], of which the i-th varies
/// along dimension i; `xy` swaps the first two dimensions.
MINIMA_API std::vector<Tensor> meshgrid(std::span<const Tensor> vectors, bool xy = false);
/// All choices of one element of each vector, in lexicographic order of positions: [N₀·N₁·…, number of vectors]. A
/// single vector is returned unchanged.
MINIMA_API Tensor cartesian_prod(std::span<const Tensor> vectors);
/// All choices of `count` elements of a vector in the order of their positions: [number of choices, count].
MINIMA_API Tensor combinations(const Tensor& x, std::int64_t count = 2, bool with_replacement = false);
/// The row and column indices of the lower triangle (column - row ≤ offset) of a rows × columns matrix, in row-major
/// order: int64 [2, number].
MINIMA_API Tensor tril_indices(std::int64_t rows, std::int64_t columns, std::int64_t offset = 0, Device device = {});
/// The same for the upper triangle, column - row ≥ offset.
MINIMA_API Tensor triu_indices(std::int64_t rows, std::int64_t columns, std::int64_t offset = 0, Device device = {});
/// base^start, …, base^stop: `count` values, evenly spaced in the exponent.
MINIMA_API Tensor logspace(double start, double stop, std::int64_t count, double base = 10, TensorOptions options = {});

/// A vector becomes the diagonal of a square matrix of zeros, `offset` columns right of the main one; of a matrix, the
/// diagonal.
MINIMA_API Tensor diag(const Tensor& x, std::int64_t offset = 0);
/// Matrices of zeros with the last dimension of x as a diagonal; dim1 and dim2 are the matrices' dimensions in the
/// result.
MINIMA_API Tensor diag_embed(const Tensor& x, std::int64_t offset = 0, std::int64_t dim1 = -2, std::int64_t dim2 = -1);
/// A copy of x with diagonal(x, offset, dim1, dim2) replaced by `source`, which has its shape and x's dtype.
MINIMA_API Tensor diagonal_scatter(const Tensor& x, const Tensor& source, std::int64_t offset = 0,
                                   std::int64_t dim1 = 0, std::int64_t dim2 = 1);
/// A copy of x with select(x, dim, index) replaced by `source`.
MINIMA_API Tensor select_scatter(const Tensor& x, const Tensor& source, std::int64_t dim, std::int64_t index);
/// A copy of x with slice(x, dim, start, stop, step) replaced by `source`.
MINIMA_API Tensor slice_scatter(const Tensor& x, const Tensor& source, std::int64_t dim = 0, std::int64_t start = 0,
                                std::int64_t stop = INT64_MAX, std::int64_t step = 1);
/// A matrix of zeros with these matrices along its diagonal; vectors are rows. All share one dtype.
MINIMA_API Tensor block_diag(std::span<const Tensor> matrices);

}  // namespace minima
