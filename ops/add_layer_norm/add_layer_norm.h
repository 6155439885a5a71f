#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

struct SumAndNorm {
  Tensor sum;         ///< x + residual
  Tensor normalized;  ///< layer_norm(sum)
};

/// A residual connection fused with the layer norm after it: sum = x + residual and
/// normalized = layer_norm(sum, normalized_shape, weight, bias, eps), in one pass over memory.
/// x and residual have the same shape and floating dtype, or x has a half type and residual is float32: then the sum is
/// float32, and normalized has x's dtype. Under autocast residual is converted to float32. Both results are row-major.
/// Differentiable to any order; backward saves the sum, not x or residual.
///   auto [h, normed] = add_layer_norm(attention(y), h, {512}, weight, bias);
MINIMA_API SumAndNorm add_layer_norm(const Tensor& x, const Tensor& residual, const Shape& normalized_shape,
                                     const Tensor& weight = {}, const Tensor& bias = {}, double eps = 1e-5);

}  // namespace minima
