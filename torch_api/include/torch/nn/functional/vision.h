#pragma once

#include <torch/nn/options/vision.h>
#include <torch/types.h>

namespace torch::nn::functional {

Tensor affine_grid(const Tensor& theta, const IntArrayRef& size, bool align_corners = false);
Tensor grid_sample(const Tensor& input, const Tensor& grid, const GridSampleFuncOptions& options = {});

}
