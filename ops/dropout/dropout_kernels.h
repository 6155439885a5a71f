#pragma once

#include <minima/tensor/random/philox_state.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

/// y[i] = x[i] · scale where the random word of element i, counted from `start`, is in the lowest fraction `keep` of
/// all words; else 0.
void dropout_kernel_cpu(const Tensor& x, double keep, double scale, PhiloxState start, Tensor& y);
/// The same on CUDA.
void dropout_kernel_cuda(const Tensor& x, double keep, double scale, PhiloxState start, Tensor& y);

/// dropout() with random numbers from the given state, recorded likewise: reproduces its mask.
Tensor dropout_from(const Tensor& x, double p, PhiloxState start);

}  // namespace minima::detail
