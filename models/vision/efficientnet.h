#pragma once

#include <minima/nn/containers/sequential.h>
#include <minima/nn/module/module.h>

#include <cstdint>

namespace minima::models {

/// Those of B0. torchvision's B1 to B4 differ in these factors and in dropout: width 1, 1.1, 1.2, 1.4; depth 1.1, 1.2,
/// 1.4, 1.8; dropout 0.2, 0.3, 0.3, 0.4.
struct EfficientNetOptions {
  std::int64_t classes = 1000;
  double dropout = 0.2;
  double stochastic_depth = 0.2;  ///< probability that the last block is skipped; earlier ones are less likely to be
  double width = 1;               ///< factor on the numbers of channels, which are multiples of 8
  double depth = 1;               ///< factor on the numbers of blocks
};

/// Networks scaled in width and depth together (Tan and Le 2019), torchvision.models.efficientnet_b0:
/// x [N, 3, H, W] → logits [N, classes].
///   models::EfficientNet net;
class MINIMA_API EfficientNet : public nn::Module {
 public:
  /// Throws ValueError unless classes is at least 1, the factors are positive and stochastic_depth is from 0 to 1.
  explicit EfficientNet(const EfficientNetOptions& options = {});
  Tensor forward(const Tensor& x) override;

  EfficientNetOptions options;
  nn::Sequential features, classifier;
};

}  // namespace minima::models
