#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// `value` as a tensor of rank 0 for `x op value`: in the dtype of that, on x's device; undefined if x is. Throws
/// ValueError in the name of `op` for a number that the dtype cannot hold, negative ones in uint8 included.
MINIMA_API Tensor scalar_operand(const char* op, Scalar value, const Tensor& x);

}  // namespace minima::detail
