#pragma once

#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

// The functions of tensor/random/random_fill.h for a contiguous tensor on CUDA: the same generator state gives the same
// elements.

void uniform_kernel_cuda(RandomGenerator& generator, const Tensor& out, double low, double high);
void normal_kernel_cuda(RandomGenerator& generator, const Tensor& out, double mean, double std);
void integers_kernel_cuda(RandomGenerator& generator, const Tensor& out, std::int64_t low, std::int64_t high);
void bernoulli_kernel_cuda(RandomGenerator& generator, const Tensor& out, double probability);

}  // namespace minima::detail
