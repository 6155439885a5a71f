#pragma once

#include <torch/nn/modules/layer.h>
#include <torch/nn/options/fold.h>

namespace torch::nn {

MINIMA_TORCH_LAYER(Fold, (const Tensor& input));
MINIMA_TORCH_LAYER(Unfold, (const Tensor& input));

}  // namespace torch::nn
