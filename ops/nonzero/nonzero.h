#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// The coordinates of all nonzero elements, in row-major order: int64 [K, rank of x]. NaN is nonzero. K depends on the
/// data, so this synchronises with the device and cannot be captured. All dtypes, no gradient.
MINIMA_API Tensor nonzero(const Tensor& x);

}  // namespace minima
