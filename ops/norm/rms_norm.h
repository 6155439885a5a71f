#pragma once

#include <minima/ops/norm/layer_norm.h>
#include <minima/tensor/tensor.h>

namespace minima {

/// y = x / √(mean(x²) + eps) · weight over the last dimensions `normalized` (Zhang and Sennrich, arXiv:1910.07467). x
/// is floating and ends in `normalized`, weight has that shape or is undefined; throws ShapeError otherwise. Half types
/// compute in float32. Differentiable to any order.
MINIMA_API Tensor rms_norm(const Tensor& x, const Shape& normalized, const Tensor& weight = {}, double eps = 1e-6);

/// A residual connection fused with the RMS norm after it: sum = x + residual and
/// normalized = rms_norm(sum, normalized_shape, weight, eps), in one pass over memory. Shapes, dtypes, errors and what
/// backward saves are those of add_layer_norm: a branch in a half type may be added to a float32 residual.
///   auto [h, normed] = add_rms_norm(attention(y), h, {512}, weight);
MINIMA_API SumAndNorm add_rms_norm(const Tensor& x, const Tensor& residual, const Shape& normalized_shape,
                                   const Tensor& weight = {}, double eps = 1e-6);

}  // namespace minima
