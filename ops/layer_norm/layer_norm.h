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

}  // namespace minima
