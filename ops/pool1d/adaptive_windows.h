#pragma once

#include <minima/ops/reduce/extreme.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

/// Adaptive max pooling of the last dimensions of x into `sizes` parts, one number for each. Internal.
Tensor largest_parts(const char* op, const Tensor& x, const Shape& sizes);
/// The same with the position of each maximum among the elements of those dimensions, in row-major order.
ValuesAndIndices largest_parts_with_indices(const char* op, const Tensor& x, const Shape& sizes);

}  // namespace minima::detail
