#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// Sets all bytes of x's elements to zero: a memset, on a GPU in the order of its current stream. Unlike `zero_` it is
/// no operator: autograd, observers and autocast don't see it. For the library's own buffers. x must be dense.
MINIMA_API void zero_memory(const Tensor& x);
/// A new row-major tensor of zeros, made with `zero_memory`.
MINIMA_API Tensor zeroed(const Shape& shape, TensorOptions options = {});

}  // namespace minima::detail
