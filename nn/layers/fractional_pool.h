#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/pooling/fractional_pool.h>

namespace minima::nn {

/// Max pooling with windows at random steps, torch.nn.FractionalMaxPool2d. minima.h does not include this header.
class MINIMA_API FractionalMaxPool2d : public Module {
 public:
  explicit FractionalMaxPool2d(const FractionalMaxPool2dOptions& given) : options(given) {}
  Tensor forward(const Tensor& x) override { return fractional_max_pool2d(x, options); }
  /// The maxima and their positions, PyTorch's return_indices. Does not run forward hooks.
  ValuesAndIndices with_indices(const Tensor& x) const { return fractional_max_pool2d_with_indices(x, options); }
  FractionalMaxPool2dOptions options;
};
/// The same for volumes, torch.nn.FractionalMaxPool3d.
class MINIMA_API FractionalMaxPool3d : public Module {
 public:
  explicit FractionalMaxPool3d(const FractionalMaxPool3dOptions& given) : options(given) {}
  Tensor forward(const Tensor& x) override { return fractional_max_pool3d(x, options); }
  /// As FractionalMaxPool2d's.
  ValuesAndIndices with_indices(const Tensor& x) const { return fractional_max_pool3d_with_indices(x, options); }
  FractionalMaxPool3dOptions options;
};

}  // namespace minima::nn
