#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// How many elements of a row-major bool tensor are true.
std::int64_t count_true_cpu(const Tensor& flags);
/// Their coordinates, in order; y is int64 [count, rank].
void nonzero_kernel_cpu(const Tensor& flags, Tensor& y);
/// The same on CUDA; counting waits for the device.
std::int64_t count_true_cuda(const Tensor& flags);
void nonzero_kernel_cuda(const Tensor& flags, Tensor& y);

}  // namespace minima::detail
