#pragma once

#include <torch/core/tensor.h>

// Operators convert numbers and dtypes here before they call minima.

namespace at {

/// A tensor of rank 0 on `like`'s device, with its dtype, or a complex one for a complex number.
minima::Tensor scalar_like(const Scalar& value, const Tensor& like);

/// x, or x in the default dtype if it is an integer and minima would make the result float32 instead.
minima::Tensor floating_operand(const Tensor& x);

}  // namespace at
