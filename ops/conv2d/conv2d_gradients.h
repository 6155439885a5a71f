#pragma once

#include <minima/ops/conv2d/conv2d.h>

namespace minima {

/// The gradient of conv2d by its input: g [N, O, H', W'] spread back over an input of shape `x` by weight. Also the
/// transposed convolution. The result lies as `x` does, in its nearest dense order. Differentiable.
Tensor conv2d_input_gradient(const Tensor& g, const Tensor& weight, const Layout& x, const Conv2dOptions& options);
/// The gradient by the weight: every pair of input and output that a weight element connects, added up. `weight` says
/// shape and order of the result. Differentiable.
Tensor conv2d_weight_gradient(const Tensor& x, const Tensor& g, const Layout& weight, const Conv2dOptions& options);

}  // namespace minima
