#pragma once

#include <minima/tensor/tensor.h>

// Reversed, rotated and shifted orders of elements, in new memory. All dtypes; differentiable to any order.

namespace minima {

/// Reverses the order of elements along each of the dimensions.
MINIMA_API Tensor flip(const Tensor& x, const Shape& dims);
/// Reverses the columns (dimension 1).
MINIMA_API Tensor fliplr(const Tensor& x);
/// Reverses the rows (dimension 0).
MINIMA_API Tensor flipud(const Tensor& x);
/// Rotates by `times` right angles in the plane of two dimensions, from the first towards the second.
MINIMA_API Tensor rot90(const Tensor& x, std::int64_t times = 1, const Shape& dims = {0, 1});
/// Shifts elements by `shift` positions along a dimension; those pushed off the end re-enter at the start.
MINIMA_API Tensor roll(const Tensor& x, std::int64_t shift, std::int64_t dim);

}  // namespace minima
