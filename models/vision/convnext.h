#pragma once

#include <minima/nn/containers/sequential.h>
#include <minima/nn/module/module.h>

#include <array>
#include <cstdint>

namespace minima::models {

/// Those of ConvNeXt-T. torchvision's convnext_small has blocks 3, 3, 27, 3 and stochastic_depth 0.4.
struct ConvNeXtOptions {
  std::int64_t classes = 1000;
  std::array<std::int64_t, 4> blocks{3, 3, 9, 3};         ///< of each stage
  std::array<std::int64_t, 4> widths{96, 192, 384, 768};  ///< channels of each stage
  double stochastic_depth = 0.1;  ///< probability that the last block is skipped; earlier ones are less likely to be
  double layer_scale = 1e-6;      ///< initial factor on what a block adds
};

/// Convolutions in the manner of a transformer (Liu et al. 2022), torchvision.models.convnext_tiny: x [N, 3, H, W] →
/// logits [N, classes].
///   models::ConvNeXt net;
class MINIMA_API ConvNeXt : public nn::Module {
 public:
  /// Throws ValueError for sizes below 1 and if stochastic_depth is not from 0 to 1.
  explicit ConvNeXt(const ConvNeXtOptions& options = {});
  Tensor forward(const Tensor& x) override;

  ConvNeXtOptions options;
  nn::Sequential features, classifier;
};

}  // namespace minima::models
