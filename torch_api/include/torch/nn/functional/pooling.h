#pragma once

#include <torch/nn/options/pooling.h>
#include <torch/types.h>

#include <tuple>

namespace torch::nn::functional {

// Poolings of sequences, images and volumes. Those `with_indices` also return the places of the maxima.

#define MINIMA_TORCH_POOLING(D)                                                                                       \
  Tensor avg_pool##D(const Tensor& input, const AvgPool##D##FuncOptions& options);                                    \
  Tensor max_pool##D(const Tensor& input, const MaxPool##D##FuncOptions& options);                                    \
  std::tuple<Tensor, Tensor> max_pool##D##_with_indices(const Tensor& input, const MaxPool##D##FuncOptions& options); \
  Tensor adaptive_avg_pool##D(const Tensor& input, const AdaptiveAvgPool##D##FuncOptions& options);                   \
  Tensor adaptive_max_pool##D(const Tensor& input, const AdaptiveMaxPool##D##FuncOptions& options);                   \
  std::tuple<Tensor, Tensor> adaptive_max_pool##D##_with_indices(const Tensor& input,                                 \
                                                                 const AdaptiveMaxPool##D##FuncOptions& options);     \
  Tensor lp_pool##D(const Tensor& input, const LPPool##D##FuncOptions& options);                                      \
  Tensor max_unpool##D(const Tensor& input, const Tensor& indices, const MaxUnpool##D##FuncOptions& options)

MINIMA_TORCH_POOLING(1d);
MINIMA_TORCH_POOLING(2d);
MINIMA_TORCH_POOLING(3d);

#undef MINIMA_TORCH_POOLING

Tensor fractional_max_pool2d(const Tensor& input, const FractionalMaxPool2dFuncOptions& options);
std::tuple<Tensor, Tensor> fractional_max_pool2d_with_indices(const Tensor& input,
                                                              const FractionalMaxPool2dFuncOptions& options);
Tensor fractional_max_pool3d(const Tensor& input, const FractionalMaxPool3dFuncOptions& options);
std::tuple<Tensor, Tensor> fractional_max_pool3d_with_indices(const Tensor& input,
                                                              const FractionalMaxPool3dFuncOptions& options);

}
