#pragma once

#include <torch/nn/options/normalization.h>
#include <torch/types.h>

namespace torch::nn::functional {

Tensor group_norm(const Tensor& input, const GroupNormFuncOptions& options);
Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options);
Tensor local_response_norm(const Tensor& input, const LocalResponseNormFuncOptions& options);
Tensor normalize(const Tensor& input, NormalizeFuncOptions options = {});

}
