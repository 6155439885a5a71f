#pragma once

#include <torch/nn/options/fold.h>
#include <torch/types.h>

namespace torch::nn::functional {

Tensor fold(const Tensor& input, const FoldFuncOptions& options);
Tensor unfold(const Tensor& input, const UnfoldFuncOptions& options);

}
