#pragma once

#include <torch/types.h>

namespace torch::nn {

/// Draws a weight from U(±1/√fan_in), written as Kaiming's with a = √5, and the bias, if defined, likewise: the first
/// values of linear layers and convolutions.
void reset_by_fan(const Tensor& weight, const Tensor& bias);

}  // namespace torch::nn
