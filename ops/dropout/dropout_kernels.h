#pragma once

#include <minima/tensor/random/philox_state.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

/// y[i] = x[i] · scale where the word of element i, from `start` on, is in the lower part `keep` of all words; else 0.
void dropout_kernel_cpu(const Tensor& x, double keep, double scale, PhiloxState start, Tensor& y);
/// The same on CUDA.
void dropout_kernel_cuda(const Tensor& x, double keep, double scale, PhiloxState start, Tensor& y);

/// dropout() whose random numbers start there, recorded like it: what draws the same mask once more.
Tensor dropout_from(const Tensor& x, double p, PhiloxState start);

}  // namespace minima::detail
