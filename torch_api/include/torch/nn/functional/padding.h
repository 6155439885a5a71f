#pragma once

#include <torch/nn/options/padding.h>
#include <torch/types.h>

namespace torch::nn::functional {

Tensor pad(const Tensor& input, const PadFuncOptions& options);

}
