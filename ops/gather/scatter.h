#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// Zeros of `shape` with `source` added at `index`, as in scatter_add: gather's gradient, whose index is already
/// checked. Differentiable.
Tensor scatter(const Tensor& source, int dim, const Tensor& index, const Shape& shape);

}  // namespace minima
