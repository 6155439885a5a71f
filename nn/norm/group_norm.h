#pragma once

#include <minima/nn/module/module.h>

namespace minima::nn {

struct GroupNormOptions {
  std::int64_t groups = 1;
  std::int64_t channels = 0;  ///< dimension 1 of x
  double eps = 1e-5;          ///< at least 0
  bool affine = true;         ///< learn weight and bias per channel
  bool bias = true;           ///< false: learn the weight only
};
/// Normalises each group of channels per sample, torch.nn.GroupNorm. Weight is initialised to 1, bias to 0.
///   nn::GroupNorm({.groups = 8, .channels = 64})   // x [N, 64, …]
class MINIMA_API GroupNorm : public Module {
 public:
  /// Throws ValueError for sizes below 1 or if groups does not divide channels.
  explicit GroupNorm(const GroupNormOptions& options);
  Tensor forward(const Tensor& x) override;
  void reset_parameters();

  GroupNormOptions options;
  Parameter weight;  ///< [channels]; undefined if not affine
  Parameter bias;    ///< [channels]; undefined without bias
};

}  // namespace minima::nn
