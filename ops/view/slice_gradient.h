#pragma once

#include <minima/ops/spec.h>

namespace minima {

/// The gradient of a view: zeros of the shape that `x` had, with `g` added where `view` (a layout in
/// the same storage as x's, within x's reach) has them. No two elements of x share memory. Differentiable.
Tensor slice_gradient(const Tensor& g, const TensorSpec& x, const Layout& view);

}  // namespace minima
