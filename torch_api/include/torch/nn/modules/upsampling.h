#pragma once

#include <torch/nn/modules/layer.h>
#include <torch/nn/options/upsampling.h>

namespace torch::nn {

MINIMA_TORCH_LAYER(Upsample, (const Tensor& input));

}  // namespace torch::nn
