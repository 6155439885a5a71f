#pragma once

#include <minima/tensor/tensor.h>

namespace minima::nn::detail {

/// PyTorch's default for linear and convolution layers: weight and bias (if defined) uniform on ±1/√fan_in, which is
/// kaiming_uniform with leaky_relu of negative slope √5. Internal to nn.
void default_init_(const Tensor& weight, const Tensor& bias);

}  // namespace minima::nn::detail
