#pragma once

#include <minima/nn/module/module.h>

namespace minima::nn {

struct GroupNormOptions {
  std::int64_t groups = 1;
  std::int64_t channels = 0;  ///< of x, dimension 1
  double eps = 1e-5;
  bool affine = true;  ///< learn weight and bias per channel
};
/// Normalises each group of channels of each sample, torch.nn.GroupNorm. Weight starts as 1, bias as 0.
///   nn::GroupNorm({.groups = 8, .channels = 64})   // x [N, 64, …]
class MINIMA_API GroupNorm : public Module {
 public:
  /// Throws ValueError for sizes below 1 and groups that do not divide the channels.
  explicit GroupNorm(const GroupNormOptions& options);
  Tensor forward(const Tensor& x) override;
  void reset_parameters();

  GroupNormOptions options;
  Parameter weight;  ///< [channels]; undefined if not affine
  Parameter bias;    ///< [channels]
};

struct RMSNormOptions {
  Shape shape = {};  ///< sizes of the last dimensions, over which the mean square is
  double eps = 1e-6;
  bool affine = true;  ///< learn a weight of that shape
};
/// x / √(mean(x²) + eps) · weight over the last dimensions, torch.nn.RMSNorm. Weight starts as 1.
class MINIMA_API RMSNorm : public Module {
 public:
  /// Throws ValueError if the shape is empty or a size is below 1.
  explicit RMSNorm(const RMSNormOptions& options);
  Tensor forward(const Tensor& x) override;
  void reset_parameters();

  RMSNormOptions options;
  Parameter weight;
};

}  // namespace minima::nn
