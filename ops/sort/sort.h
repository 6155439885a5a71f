#pragma once

#include <minima/ops/reduce/extreme.h>

// Sorting along one dimension. Stable: equal elements keep their order, also in descending order. NaN counts as larger
// than everything. All dtypes. Values are differentiable to any order: the gradient goes back to the original
// positions.

namespace minima {

/// The sorted elements and their original positions.
///   auto [values, indices] = sort(scores, -1, true);
MINIMA_API ValuesAndIndices sort(const Tensor& x, std::int64_t dim = -1, bool descending = false);
/// The positions of the sorted elements: int64, without gradient.
MINIMA_API Tensor argsort(const Tensor& x, std::int64_t dim = -1, bool descending = false);
/// The k largest (or smallest) elements along a dimension, in order, and their positions. Throws ShapeError if there
/// are fewer.
MINIMA_API ValuesAndIndices topk(const Tensor& x, std::int64_t k, std::int64_t dim = -1, bool largest = true);
/// The k-th smallest element (from 1) along a dimension and its position.
MINIMA_API ValuesAndIndices kthvalue(const Tensor& x, std::int64_t k, std::int64_t dim = -1, bool keep_dim = false);

namespace detail {
/// The elements of ranks first … first + count - 1 of each line along `dim`, in order, without sorting the others.
/// Equal elements rank by position, NaN last.
ValuesAndIndices ranks(const Tensor& x, int dim, std::int64_t first, std::int64_t count);
}  // namespace detail

}  // namespace minima
