#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// y = x / √(mean(x²) + eps) · weight over the last dimensions `normalized` (Zhang and Sennrich, arXiv:1910.07467). x
/// floating, ending in `normalized`; weight of that shape or undefined. Half types are computed in float32. Throws
/// ShapeError otherwise. Differentiable to any order.
MINIMA_API Tensor rms_norm(const Tensor& x, const Shape& normalized, const Tensor& weight = {}, double eps = 1e-6);

}  // namespace minima
