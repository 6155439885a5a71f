#pragma once

#include <torch/nn/modules/layer.h>
#include <torch/nn/options/pixelshuffle.h>

namespace torch::nn {

MINIMA_TORCH_LAYER(PixelShuffle, (const Tensor& input));
MINIMA_TORCH_LAYER(PixelUnshuffle, (const Tensor& input));

}  // namespace torch::nn
