#pragma once

#include <minima/ops/core/spec.h>

namespace minima {

/// The gradient of a view: zeros of the shape that `x` had, with `g` added at the elements that `view` (a layout in
/// the same storage as x's, within x's reach) has. No two elements of x may share memory. Differentiable.
Tensor slice_gradient(const Tensor& g, const TensorSpec& x, const Layout& view);

}  // namespace minima
