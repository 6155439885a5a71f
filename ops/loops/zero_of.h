#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// A scalar 0 of g's dtype: where(mask, g, zero_of(g)) is 0 outside the mask even if g is infinite or NaN there, which
/// g * mask is not.
Tensor zero_of(const Tensor& g);

}  // namespace minima::detail
