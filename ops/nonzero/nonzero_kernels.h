#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// The number of true elements of a row-major bool tensor.
std::int64_t count_true_cpu(const Tensor& flags);
/// Their coordinates, in order; y is int64 [count, rank].
void nonzero_kernel_cpu(const Tensor& flags, Tensor& y);
/// The same on CUDA; counting synchronises with the device.
std::int64_t count_true_cuda(const Tensor& flags);
void nonzero_kernel_cuda(const Tensor& flags, Tensor& y);

}  // namespace minima::detail
