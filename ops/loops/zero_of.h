#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// 0 in g's dtype, without dimensions: where(kept, g, zero_of(g)) is 0 where a derivative is, even if g is infinite or
/// NaN there, which g * 0 is not.
Tensor zero_of(const Tensor& g);

}  // namespace minima::detail
