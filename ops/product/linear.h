#pragma once

#include <minima/ops/product/gemm/activation.h>
#include <minima/tensor/tensor.h>

namespace minima {

/// y = activation(x · weightᵀ + bias): x [..., in], weight [out, in], bias [out] or undefined → [..., out]. One
/// operator: bias and activation are applied to each block of the product while it is in the cache. All share one
/// floating dtype; half types accumulate in float32. After relu, the gradient at an output of 0 is 0. Differentiable to
/// any order.
///   Tensor hidden = linear(x, weight, bias, Activation::relu);
MINIMA_API Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                         Activation activation = Activation::none);
/// aᵀ·W_k·b + bias_k for each output k: a [..., A], b [..., B], weight [K, A, B], bias [K] → [..., K].
MINIMA_API Tensor bilinear(const Tensor& a, const Tensor& b, const Tensor& weight, const Tensor& bias = {});

/// linear(linear(x, up, up_bias, activation), down, down_bias), a transformer's feed-forward layer, as one operator:
/// x [..., in], up [hidden, in], up_bias [hidden] or undefined, down [out, hidden], down_bias [out] or undefined →
/// [..., out]. `activation` is relu, gelu or gelu_tanh. The derivative of gelu_tanh and the sums for up_bias come out
/// of the product that makes the hidden gradient on a GPU, so that gradient is written once and not read for them.
/// Differentiable to any order; the graph of a gradient recomputes the hidden values.
///   Tensor y = feed_forward(x, up.weight, up.bias, down.weight, down.bias);
/// Throws ValueError for Activation::none, and what linear throws.
MINIMA_API Tensor feed_forward(const Tensor& x, const Tensor& up, const Tensor& up_bias, const Tensor& down,
                               const Tensor& down_bias, Activation activation = Activation::gelu_tanh);

}  // namespace minima
