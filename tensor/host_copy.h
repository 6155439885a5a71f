#pragma once

#include <minima/tensor/base/convert.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

/// Copies the elements in row-major order, converted to T, to host memory. `count` is numel.
template <class T>
void copy_to_host(const Tensor& tensor, T* values, std::int64_t count);

}  // namespace minima::detail
