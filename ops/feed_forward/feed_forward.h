#pragma once

#include <minima/ops/gemm/activation.h>
#include <minima/tensor/tensor.h>

namespace minima {

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
