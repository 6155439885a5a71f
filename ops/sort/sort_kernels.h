#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// y[…, i, …] = the position in x of element `first` + i of each sorted line along `dim`; y is row-major int64 and may
/// be shorter than x along `dim`.
void argsort_kernel_cpu(const Tensor& x, int dim, bool descending, std::int64_t first, Tensor& y);
/// The same on CUDA, from the first element.
void argsort_kernel_cuda(const Tensor& x, int dim, bool descending, Tensor& y);

}  // namespace minima::detail
