#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// Zeros of `shape` with `source` added at `index`, as scatter_add does: the gradient of gather, whose
/// index was looked at already. Differentiable.
Tensor scatter(const Tensor& source, int dim, const Tensor& index, const Shape& shape);

}  // namespace minima
