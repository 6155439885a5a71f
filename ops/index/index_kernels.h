#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// y[index[i]] = values[i] for rows of y [V, D], index [K] and values [K, D], all row-major; the last of several values
/// wins.
void put_rows_kernel_cpu(const Tensor& index, const Tensor& values, const Tensor& y);
/// The same on CUDA. For an index out of range, the next call that synchronises throws.
void put_rows_kernel_cuda(const Tensor& index, const Tensor& values, const Tensor& y);

}  // namespace minima::detail
