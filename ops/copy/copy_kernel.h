#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// to[i] = from[i], converted to `to`'s dtype; same shape, any strides.
void copy_kernel_cpu(const Tensor& from, const Tensor& to);
/// to[i] += from[i], one element after the other, so that `to` may reach a place twice; same shape and dtype.
void add_kernel_cpu(const Tensor& from, const Tensor& to);

}  // namespace minima::detail
