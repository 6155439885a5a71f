#pragma once

#include <minima/tensor/scalar.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

/// Throws ValueError in the name of `op` for a number that a tensor of this dtype cannot hold. Fractions are cut off and
/// negative whole numbers wrap in uint8, as in PyTorch.
MINIMA_API void check_number(const char* op, Scalar value, DType dtype);

}  // namespace minima::detail
