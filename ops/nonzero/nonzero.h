#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// The coordinates of all elements that are not 0, in row-major order: int64 [K, rank of x]. NaN is not 0. The size K
/// depends on the data, so this waits for the device, and cannot be captured. All dtypes, no gradient.
MINIMA_API Tensor nonzero(const Tensor& x);

}  // namespace minima
