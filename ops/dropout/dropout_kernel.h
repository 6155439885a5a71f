#pragma once

#include <minima/tensor/generator.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

/// y[i] = x[i] · scale where the word of element i, from `start` on, is in the lower part `keep` of all words; else 0.
void dropout_kernel_cpu(const Tensor& x, double keep, double scale, Generator::Position start, Tensor& y);
/// The same on CUDA.
void dropout_kernel_cuda(const Tensor& x, double keep, double scale, Generator::Position start, Tensor& y);

}  // namespace minima::detail
