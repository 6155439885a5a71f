#pragma once

#include <torch/nn/options/pixelshuffle.h>
#include <torch/types.h>

namespace torch::nn::functional {

Tensor pixel_shuffle(const Tensor& input, const PixelShuffleFuncOptions& options);
Tensor pixel_unshuffle(const Tensor& input, const PixelUnshuffleFuncOptions& options);

}
