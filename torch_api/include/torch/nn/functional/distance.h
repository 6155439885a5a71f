#pragma once

#include <torch/nn/options/distance.h>
#include <torch/types.h>

namespace torch::nn::functional {

Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, const CosineSimilarityFuncOptions& options = {});
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, const PairwiseDistanceFuncOptions& options = {});
Tensor pdist(const Tensor& input, double p = 2);

}
