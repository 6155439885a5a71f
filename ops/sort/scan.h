#pragma once

#include <minima/tensor/tensor.h>

namespace minima::sorting {

/// Exclusive prefix sum, in place; unsigned numbers in an int32 tensor on CUDA.
void exclusive_sum_cuda(const Tensor& counts);

}  // namespace minima::sorting
