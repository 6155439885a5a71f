#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// y = (x - mean) / √(var + eps) · weight + bias, with mean and biased variance over each of `groups` groups of
/// channels of each sample (Wu and He, arXiv:1803.08494). x floating [N, C, …]; weight and bias [C] or undefined. One
/// group is a layer norm over channels and positions; as many groups as channels is an instance norm. Throws ShapeError
/// if the groups do not divide the channels. Differentiable to any order.
MINIMA_API Tensor group_norm(const Tensor& x, std::int64_t groups, const Tensor& weight = {}, const Tensor& bias = {},
                             double eps = 1e-5);

}  // namespace minima
