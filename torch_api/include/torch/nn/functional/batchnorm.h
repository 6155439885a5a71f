#pragma once

#include <torch/nn/options/batchnorm.h>
#include <torch/types.h>

namespace torch::nn::functional {

Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                  const BatchNormFuncOptions& options = {});

}
