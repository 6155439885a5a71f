#pragma once

#include <minima/tensor/tensor.h>

// Scalars as operands of an operator. Internal.

namespace minima::detail {

/// `value` as a tensor of rank 0 for `x op value`: in that operation's dtype, on x's device; undefined if x is. Throws
/// ValueError prefixed with `op` for a number that the dtype cannot hold, such as a negative one in uint8.
MINIMA_API Tensor scalar_operand(const char* op, Scalar value, const Tensor& x);

/// A scalar 0 of g's dtype: where(mask, g, zero_of(g)) is 0 outside the mask even if g is infinite or NaN there, which
/// g * mask is not.
Tensor zero_of(const Tensor& g);

}  // namespace minima::detail
