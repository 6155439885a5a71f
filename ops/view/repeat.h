#pragma once

#include <minima/tensor/tensor.h>

// Copies of a tensor or of its elements, side by side. All dtypes; differentiable to any order.

namespace minima {

/// Tiles x: counts[d] copies along each dimension d; extra counts add leading dimensions. Throws ShapeError for fewer
/// counts than dimensions, ValueError for a negative count.
MINIMA_API Tensor repeat(const Tensor& x, const Shape& counts);
/// `repeat`, but fewer counts than dimensions get leading ones.
MINIMA_API Tensor tile(const Tensor& x, const Shape& counts);
/// Repeats each element `count` times in a row along a dimension.
MINIMA_API Tensor repeat_interleave(const Tensor& x, std::int64_t count, std::int64_t dim);

}  // namespace minima
