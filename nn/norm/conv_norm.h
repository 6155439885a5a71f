#pragma once

#include <minima/nn/layers/conv.h>
#include <minima/nn/norm/batch_norm.h>

namespace minima::nn {

/// norm(conv(x)) for x [N, C, H, W]. In evaluation mode and without recording (NoGrad, Inference), in float32 on the
/// CPU, one operator computes it: it scales and shifts parts of the convolution's result while they are in the cache,
/// by
///   y = conv(x) · s + (bias - running_mean) · s + norm.bias  with s = norm.weight / √(running_var + eps),
/// so results differ from those of two calls by rounding. It keeps no folded weights: changes of the layers' tensors
/// count at once. Otherwise, and if a layer has hooks, wrappers or parametrizations, or pads with anything but zeros,
/// both layers are called. Sequential calls it for its convolutions.
MINIMA_API Tensor conv_norm(const Conv2d& conv, const BatchNorm2d& norm, const Tensor& x);
/// max(norm(conv(x)) + residual, 0) by one operator under the same conditions, otherwise by BatchNorm2d::relu. residual
/// has the result's shape or is undefined.
///   Tensor forward(const Tensor& x) override { return nn::conv_norm_relu(conv, norm, x); }
MINIMA_API Tensor conv_norm_relu(const Conv2d& conv, const BatchNorm2d& norm, const Tensor& x,
                                 const Tensor& residual = {});

}  // namespace minima::nn
