#pragma once

#include <torch/nn/modules/layer.h>
#include <torch/nn/options/dropout.h>

namespace torch::nn {

void check_options(const DropoutOptions& options);

MINIMA_TORCH_LAYER(Dropout, (const Tensor& input));
MINIMA_TORCH_LAYER(Dropout2d, (const Tensor& input));
MINIMA_TORCH_LAYER(Dropout3d, (const Tensor& input));
MINIMA_TORCH_LAYER(AlphaDropout, (const Tensor& input));
MINIMA_TORCH_LAYER(FeatureAlphaDropout, (const Tensor& input));

}  // namespace torch::nn
