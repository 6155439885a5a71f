#pragma once

#include <minima/ops/conv2d/conv2d.h>

namespace minima {

/// The gradient of conv2d with respect to its input: spreads g [N, O, H', W'] over an input of shape `x` by weight.
/// Also the transposed convolution. The result has the dense layout nearest to `x`. Differentiable.
Tensor conv2d_input_gradient(const Tensor& g, const Tensor& weight, const Layout& x, const Conv2dOptions& options);
/// The gradient with respect to weight: the sum over every pair of input and output that a weight element connects.
/// `weight` gives the shape and memory order of the result. Differentiable.
Tensor conv2d_weight_gradient(const Tensor& x, const Tensor& g, const Layout& weight, const Conv2dOptions& options);

}  // namespace minima
