#pragma once

#include <minima/nn/module/module.h>

namespace minima::nn {

struct LayerNormOptions {
  Shape shape = {};  ///< sizes of the last dimensions, which are normalised over: `{512}`
  double eps = 1e-5;
  bool affine = true;  ///< learn weight and bias of that shape
  bool bias = true;    ///< false: learn the weight only
};

/// y = (x - mean) / √(var + eps) · weight + bias over the last dimensions, torch.nn.LayerNorm. Weight is
/// initialised to 1, bias to 0.
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
