#pragma once

#include <minima/nn/module/module.h>

namespace minima::nn {

struct LayerNormOptions {
  Shape shape = {};  ///< sizes of the last dimensions, over which the statistics are: `{512}`
  double eps = 1e-5;
  bool affine = true;  ///< learn weight and bias of that shape
  bool bias = true;    ///< false learns the weight alone
};

/// y = (x - mean) / √(var + eps) · weight + bias over the last dimensions, torch.nn.LayerNorm. Weight starts as 1, bias
/// as 0.
///   nn::LayerNorm({.shape = {512}})   // x [N, T, 512]
class MINIMA_API LayerNorm : public Module {
 public:
  /// Throws ValueError if the shape is empty or a size is below 1.
  explicit LayerNorm(const LayerNormOptions& options);
  Tensor forward(const Tensor& x) override;
  void reset_parameters();

  LayerNormOptions options;
  Parameter weight;
  Parameter bias;
};

}  // namespace minima::nn
