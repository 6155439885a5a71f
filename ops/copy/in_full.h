#pragma once

#include <minima/ops/copy/copy.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

/// Half types in float32, others as they are: for operators made of others, which would round between them.
inline Tensor in_full(const Tensor& x) { return is_half(x.dtype()) ? cast(x, DType::float32) : x; }

}  // namespace minima::detail
