#pragma once

#include <minima/ops/reduce/extreme.h>

// Order along one dimension. Stable: equal elements keep their order, also in descending order. NaN counts as larger
// than everything. All dtypes. Values are differentiable to any order: the gradient goes back to where each came from.

namespace minima {

/// The elements in order, and where each was.
///   auto [values, indices] = sort(scores, -1, true);
MINIMA_API ValuesAndIndices sort(const Tensor& x, std::int64_t dim = -1, bool descending = false);
/// Where the elements in order are: int64, without gradient.
MINIMA_API Tensor argsort(const Tensor& x, std::int64_t dim = -1, bool descending = false);
/// The k largest (or smallest) along a dimension, in order, and where they are. Throws ShapeError where there are
/// fewer.
MINIMA_API ValuesAndIndices topk(const Tensor& x, std::int64_t k, std::int64_t dim = -1, bool largest = true);

}  // namespace minima
