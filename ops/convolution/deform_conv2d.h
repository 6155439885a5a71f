#pragma once

#include <minima/ops/convolution/conv.h>
#include <minima/tensor/tensor.h>

namespace minima {

struct DeformConv2dOptions {
  Pair stride = 1;
  Pair padding = 0;  ///< zeros on each side
  Pair dilation = 1;
  Tensor mask = {};  ///< [N, D · kH · kW, H', W']: a factor of each sample (Zhu et al., arXiv:1811.11168)
};
/// conv2d that samples x between its elements (Dai et al., arXiv:1703.06211), torchvision.ops.deform_conv2d: x
/// [N, C, H, W], weight [O, C / G, kH, kW], bias [O] or undefined → [N, O, H', W']. `offset` [N, 2 · D · kH · kW, H',
/// W'] moves the sample of each tap down and to the right, for D groups of channels: y of tap 0, x of tap 0, y of tap
/// 1, …. Samples are bilinear, with zeros outside of x. One floating dtype; half types compute in float32.
/// Differentiable to any order. Made of grid_sample and a product, with memory for all samples. minima.h does not
/// include this header.
MINIMA_API Tensor deform_conv2d(const Tensor& x, const Tensor& offset, const Tensor& weight, const Tensor& bias = {},
                                const DeformConv2dOptions& options = {});

}  // namespace minima
