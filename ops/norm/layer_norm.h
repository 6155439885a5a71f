#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// y = (x - mean) / √(var + eps) · weight + bias, with mean and (biased) variance over the last dimensions, whose sizes
/// are `normalized_shape` (Ba, Kiros and Hinton 2016). weight and bias have that shape and any floating dtype, or are
/// undefined. The result is row-major, of x's dtype. Differentiable with respect to x, weight and bias, to any order.
/// Under autocast the result is float32, or with `lower` of autocast's dtype, for a product that would convert it.
///   layer_norm(x, {512}, weight, bias)   // x [N, T, 512]
MINIMA_API Tensor layer_norm(const Tensor& x, const Shape& normalized_shape, const Tensor& weight = {},
                             const Tensor& bias = {}, double eps = 1e-5, bool lower = false);

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
