#pragma once

#include <torch/nn/modules/layer.h>
#include <torch/nn/options/padding.h>

namespace torch::nn {

MINIMA_TORCH_LAYER(ReflectionPad1d, (const Tensor& input));
MINIMA_TORCH_LAYER(ReflectionPad2d, (const Tensor& input));
MINIMA_TORCH_LAYER(ReflectionPad3d, (const Tensor& input));
MINIMA_TORCH_LAYER(ReplicationPad1d, (const Tensor& input));
MINIMA_TORCH_LAYER(ReplicationPad2d, (const Tensor& input));
MINIMA_TORCH_LAYER(ReplicationPad3d, (const Tensor& input));
MINIMA_TORCH_LAYER(ZeroPad1d, (const Tensor& input));
MINIMA_TORCH_LAYER(ZeroPad2d, (const Tensor& input));
MINIMA_TORCH_LAYER(ZeroPad3d, (const Tensor& input));
MINIMA_TORCH_LAYER(ConstantPad1d, (const Tensor& input));
MINIMA_TORCH_LAYER(ConstantPad2d, (const Tensor& input));
MINIMA_TORCH_LAYER(ConstantPad3d, (const Tensor& input));

}  // namespace torch::nn
