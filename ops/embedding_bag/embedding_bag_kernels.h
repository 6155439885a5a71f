#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// y [B, D] = the sums of rows of weight [V, D]: bag b has the indices starts[b] … starts[b + 1] - 1; those equal to
/// `padding` are left out. `mean` divides by the number of those that are not. Half types accumulate in float32. All
/// row-major.
void embedding_bag_kernel_cpu(const Tensor& weight, const Tensor& index, const Tensor& starts, std::int64_t padding,
                              bool mean, Tensor& y);
/// y [V, D] = the rows of g [B, D], each summed into the rows of its bag's indices.
void embedding_bag_gradient_cpu(const Tensor& g, const Tensor& index, const Tensor& starts, std::int64_t padding,
                                bool mean, Tensor& y);

}  // namespace minima::detail
