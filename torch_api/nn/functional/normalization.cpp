#include <torch/nn/functional/normalization.h>

#include <minima/ops/norm/batch_norm.h>
#include <minima/ops/norm/group_norm.h>
#include <minima/ops/norm/instance_norm.h>
#include <minima/ops/norm/layer_norm.h>
#include <minima/ops/product/distance.h>
#include <torch/nn/functional/batchnorm.h>
#include <torch/nn/functional/instancenorm.h>

#include <cstdint>

#include "support.h"

namespace torch::nn::functional {

Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                  const BatchNormFuncOptions& options) {
  const minima::Tensor& x = input;
  TORCH_CHECK(x.rank() >= 2, "Expected at least 2 input dimensions, but got ", x.rank());
  TORCH_CHECK(!options.training() || x.size(1) == 0 || x.numel() / x.size(1) != 1,
              "Expected more than 1 value per channel when training, got input size ", input.sizes());
  return minima::batch_norm(x, options.weight(), options.bias(), running_mean, running_var,
                            {.training = options.training(), .momentum = options.momentum(), .eps = options.eps()});
}

Tensor instance_norm(const Tensor& input, const InstanceNormFuncOptions& options) {
  return minima::instance_norm(
      input, options.running_mean(), options.running_var(), options.weight(), options.bias(),
      {.use_input_stats = options.use_input_stats(), .momentum = options.momentum(), .eps = options.eps()});
}

Tensor group_norm(const Tensor& input, const GroupNormFuncOptions& options) {
  return minima::group_norm(input, options.num_groups(), options.weight(), options.bias(), options.eps());
}

Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options) {
  return minima::layer_norm(input, shape_of(options.normalized_shape()), options.weight(), options.bias(),
                            options.eps());
}

Tensor local_response_norm(const Tensor& input, const LocalResponseNormFuncOptions& options) {
  TORCH_CHECK(input.dim() >= 3, "Expected 3D or higher dimensionality input (got ", input.dim(), " dimensions)");
  return minima::local_response_norm(
      real_of(input), {.size = options.size(), .alpha = options.alpha(), .beta = options.beta(), .k = options.k()});
}

Tensor normalize(const Tensor& input, NormalizeFuncOptions options) {
  const minima::Tensor result = minima::normalize(input, options.p(), options.dim(), options.eps());
  if (!options.out()) return result;
  const minima::Tensor& out = *options.out();
  if (out.shape() == result.shape()) minima::copy_(out, result);
  else out.set_data(result.to(out.dtype()));
  return *options.out();
}

}
