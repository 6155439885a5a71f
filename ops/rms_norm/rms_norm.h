#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// y = x / √(mean(x²) + eps) · weight over the last dimensions `normalized` (Zhang and Sennrich, arXiv:1910.07467). x
/// is floating and ends in `normalized`, weight has that shape or is undefined; throws ShapeError otherwise. Half types
/// compute in float32. Differentiable to any order.
MINIMA_API Tensor rms_norm(const Tensor& x, const Shape& normalized, const Tensor& weight = {}, double eps = 1e-6);

}  // namespace minima
