#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/norm/layer_norm.h>

namespace minima::nn {

struct RMSNormOptions {
  Shape shape = {};    ///< sizes of the last dimensions, which are normalised over
  double eps = 1e-6;   ///< at least 0
  bool affine = true;  ///< learn a weight of that shape
};
/// x / √(mean(x²) + eps) · weight over the last dimensions, torch.nn.RMSNorm. Weight is initialised to 1.
class MINIMA_API RMSNorm : public Module {
 public:
  /// Throws ValueError if the shape is empty or a size is below 1.
  explicit RMSNorm(const RMSNormOptions& options);
  Tensor forward(const Tensor& x) override;
  /// x + residual and its RMS norm, in one pass: add_rms_norm with this weight. Hooks do not run.
  SumAndNorm add(const Tensor& x, const Tensor& residual) const;
  void reset_parameters();

  RMSNormOptions options;
  Parameter weight;
};

}  // namespace minima::nn
