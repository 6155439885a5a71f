#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// y = a × b along `dim`, which has three elements. All row-major, of one shape and floating dtype.
void cross_kernel_cpu(const Tensor& a, const Tensor& b, int dim, Tensor& y);

}  // namespace minima::detail
