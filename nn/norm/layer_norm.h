#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/norm/layer_norm.h>

namespace minima::nn {

struct LayerNormOptions {
  Shape shape = {};    ///< sizes of the last dimensions, which are normalised over: `{512}`
  double eps = 1e-5;   ///< at least 0
  bool affine = true;  ///< learn weight and bias of that shape
  bool bias = true;    ///< false: learn the weight only
  bool lower = false;  ///< under autocast give its dtype, for a product that follows, instead of float32
};

/// y = (x - mean) / √(var + eps) · weight + bias over the last dimensions, torch.nn.LayerNorm. Weight is
/// initialised to 1, bias to 0.
///   nn::LayerNorm({.shape = {512}})   // x [N, T, 512]
class MINIMA_API LayerNorm : public Module {
 public:
  /// Throws ValueError if the shape is empty or a size is below 1.
  explicit LayerNorm(const LayerNormOptions& options);
  Tensor forward(const Tensor& x) override;
  /// x + residual and its layer norm, in one pass: add_layer_norm with this weight and bias. Hooks do not run.
  SumAndNorm add(const Tensor& x, const Tensor& residual) const;
  void reset_parameters();

  LayerNormOptions options;
  Parameter weight;
  Parameter bias;
};

}  // namespace minima::nn
