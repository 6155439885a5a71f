#pragma once

#include <torch/nn/options/instancenorm.h>
#include <torch/types.h>

namespace torch::nn::functional {

Tensor instance_norm(const Tensor& input, const InstanceNormFuncOptions& options = {});

}
