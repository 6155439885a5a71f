#pragma once

#include <torch/types.h>

namespace torch::nn::functional {

Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight, const Tensor& bias = {});
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {});

}
