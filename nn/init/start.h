#pragma once

#include <minima/tensor/tensor.h>

namespace minima::nn::detail {

/// How PyTorch starts linear and convolution layers: kaiming_uniform with a leaky_relu of slope √5, which is uniform on
/// ±1/√fan_in; the bias (if defined) on the same interval. Internal to nn.
void start_as_pytorch(const Tensor& weight, const Tensor& bias);

}  // namespace minima::nn::detail
