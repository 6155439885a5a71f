#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// Adaptive max pooling of the last dimensions of x into `sizes` parts, one number for each. Internal.
Tensor largest_parts(const char* op, const Tensor& x, const Shape& sizes);

}  // namespace minima::detail
