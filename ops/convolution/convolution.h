#pragma once

#include <minima/ops/convolution/conv.h>
#include <minima/ops/convolution/geometry.h>
#include <minima/ops/core/triple.h>
#include <minima/tensor/tensor.h>

// Convolution of images or volumes, and its gradients, for operators that differ in rank alone. Internal.

namespace minima::detail {

/// conv2d or conv3d, by options.spatial.
Tensor convolution(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvOptions& options);
/// The gradient with respect to the input: spreads g [N, O, …] over an input of shape `x` by weight. Also the
/// transposed convolution. The result has the dense layout nearest to `x`. Differentiable.
Tensor convolution_input_gradient(const Tensor& g, const Tensor& weight, const Layout& x, const ConvOptions& options);
/// The gradient with respect to weight: the sum over every pair of input and output that a weight element connects.
/// `weight` gives the shape and memory order of the result. Differentiable.
Tensor convolution_weight_gradient(const Tensor& x, const Tensor& g, const Layout& weight, const ConvOptions& options);

/// A batch norm by stored statistics; all tensors are [O], weight and bias may be undefined.
struct StoredNorm {
  Tensor weight, bias, mean, var;
  double eps;
};
/// relu(norm(conv2d(x, weight, bias)) + residual) in one pass over the result, or without ReLU; bias and residual may
/// be undefined. On the CPU, in float32. Not recorded.
Tensor convolution_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvOptions& options,
                        const StoredNorm& norm, const Tensor& residual, bool relu);

/// conv_transpose2d or conv_transpose3d, by options.spatial.
Tensor transposed_convolution(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvOptions& options,
                              Triple output_padding);

}  // namespace minima::detail

namespace minima {

/// The gradient of conv2d with respect to its input: spreads g [N, O, H', W'] over an input of shape `x` by weight.
/// Also the transposed convolution. The result has the dense layout nearest to `x`. Differentiable.
Tensor conv2d_input_gradient(const Tensor& g, const Tensor& weight, const Layout& x, const Conv2dOptions& options);
/// The gradient with respect to weight: the sum over every pair of input and output that a weight element connects.
/// `weight` gives the shape and memory order of the result. Differentiable.
Tensor conv2d_weight_gradient(const Tensor& x, const Tensor& g, const Layout& weight, const Conv2dOptions& options);

}  // namespace minima
