#pragma once

#include <minima/tensor/tensor.h>

#include <vector>

namespace minima {

/// The coordinates of all nonzero elements, in row-major order: int64 [K, rank of x]. NaN is nonzero. K depends on the
/// data, so this synchronises with the device and cannot be captured. All dtypes, no gradient.
MINIMA_API Tensor nonzero(const Tensor& x);

/// The coordinates, one tensor for each dimension of `shape`, of places in its row-major order: int64. Places outside
/// are an IndexError; on a GPU they are not checked, and their first coordinates are outside.
///   unravel_index(argmax(x), x.shape())
MINIMA_API std::vector<Tensor> unravel_index(const Tensor& places, const Shape& shape);

}  // namespace minima
