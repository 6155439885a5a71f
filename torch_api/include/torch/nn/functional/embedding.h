#pragma once

#include <torch/nn/options/embedding.h>
#include <torch/types.h>

#include <cstdint>

namespace torch::nn::functional {

Tensor one_hot(const Tensor& tensor, int64_t num_classes = -1);

/// With `sparse`, the gradient of the weight has the same values, but is a dense tensor.
Tensor embedding(const Tensor& input, const Tensor& weight, const EmbeddingFuncOptions& options = {});
Tensor embedding_bag(const Tensor& input, const Tensor& weight, const EmbeddingBagFuncOptions& options = {});

}
