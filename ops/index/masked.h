#pragma once

#include <minima/tensor/tensor.h>

// The elements of a tensor where a mask is true: bool, of a shape that broadcasts with x's. All dtypes; differentiable
// to any order.

namespace minima {

/// The elements where the mask (bool, broadcasts with x) is true, in row-major order: a vector.
MINIMA_API Tensor masked_select(const Tensor& x, const Tensor& mask);
/// `value` where the mask (bool, broadcasts with x) is true, x elsewhere. The value is converted to x's dtype; throws
/// ValueError if that dtype cannot hold it.
MINIMA_API Tensor masked_fill(const Tensor& x, const Tensor& mask, Scalar value);
/// x = `value` where the mask is true.
MINIMA_API const Tensor& masked_fill_(const Tensor& x, const Tensor& mask, Scalar value);
/// A copy of x with the elements where the mask (bool, broadcasts to x) is true replaced by the source's first ones,
/// in row-major order. Throws ShapeError if the source has too few, on a GPU an IndexError at the next synchronisation.
MINIMA_API Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source);

}  // namespace minima
