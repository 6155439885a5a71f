#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// y[…, i, …] = where the i-th element in order of each line of x along `dim` is; y is row-major int64 and may be
/// shorter than x along `dim`.
void argsort_kernel_cpu(const Tensor& x, int dim, bool descending, Tensor& y);
/// The same on CUDA.
void argsort_kernel_cuda(const Tensor& x, int dim, bool descending, Tensor& y);

}  // namespace minima::detail
