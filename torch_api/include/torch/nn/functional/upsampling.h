#pragma once

#include <torch/nn/options/upsampling.h>
#include <torch/types.h>

namespace torch::nn::functional {

Tensor interpolate(const Tensor& input, const InterpolateFuncOptions& options = {});

}
