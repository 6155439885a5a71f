#pragma once

#include <minima/tensor/tensor.h>

// A diagonal of matrices as a view, which shares x's memory.

namespace minima {

/// The elements whose indices in dimensions dim1 and dim2 are i and i + offset. Both dimensions are removed, and i
/// becomes the last one: diagonal(x [2, 3, 4], 0, 1, 2) is [2, 3]. Empty if no element is on the diagonal.
MINIMA_API Tensor diagonal(const Tensor& x, std::int64_t offset = 0, std::int64_t dim1 = 0, std::int64_t dim2 = 1);

}  // namespace minima
