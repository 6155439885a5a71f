#pragma once

#include <torch/nn/modules/layer.h>
#include <torch/nn/options/distance.h>

namespace torch::nn {

MINIMA_TORCH_LAYER(CosineSimilarity, (const Tensor& input1, const Tensor& input2));
MINIMA_TORCH_LAYER(PairwiseDistance, (const Tensor& input1, const Tensor& input2));

}  // namespace torch::nn
