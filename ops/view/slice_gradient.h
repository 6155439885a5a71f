#pragma once

#include <minima/ops/core/spec.h>

namespace minima {

/// The gradient of a view: zeros of x's shape, with `g` added at the elements of `view`, a layout in x's storage that
/// stays within x. x's elements must not overlap. Differentiable.
Tensor slice_gradient(const Tensor& g, const TensorSpec& x, const Layout& view);

}  // namespace minima
