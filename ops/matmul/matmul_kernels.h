#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// y = a × b for checked inputs of rank ≥ 1; y is row-major and has matmul's result shape.
void matmul_kernel(const Tensor& a, const Tensor& b, const Tensor& y);

}  // namespace minima::detail
