#pragma once

#include <minima/ops/gemm/activation.h>
#include <minima/tensor/tensor.h>

namespace minima {

/// y = activation(x · weightᵀ + bias): x [..., in], weight [out, in], bias [out] or undefined → [..., out]. One
/// operator: bias and activation are applied to each block of the product while it is in the cache. All share one
/// floating dtype; half types accumulate in float32. After relu, the gradient at an output of 0 is 0. Differentiable to
/// any order.
///   Tensor hidden = linear(x, weight, bias, Activation::relu);
MINIMA_API Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                         Activation activation = Activation::none);

}  // namespace minima
