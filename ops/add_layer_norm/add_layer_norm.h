#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

struct SumAndNorm {
  Tensor sum;         ///< x + residual
  Tensor normalized;  ///< layer_norm of it
};

/// A residual connection and the layer norm behind it, in one pass over memory: sum = x + residual and
/// normalized = layer_norm(sum, normalized_shape, weight, bias, eps). x and residual have one shape and floating dtype;
/// both results are row-major. Differentiable to any order; keeps the sum, and neither x nor residual.
///   auto [h, normed] = add_layer_norm(attention(y), h, {512}, weight, bias);
MINIMA_API SumAndNorm add_layer_norm(const Tensor& x, const Tensor& residual, const Shape& normalized_shape,
                                     const Tensor& weight = {}, const Tensor& bias = {}, double eps = 1e-5);

}  // namespace minima
