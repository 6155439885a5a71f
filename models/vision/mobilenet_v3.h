#pragma once

#include <minima/nn/containers/sequential.h>
#include <minima/nn/module/module.h>

#include <cstdint>

namespace minima::models {

struct MobileNetV3Options {
  bool large = true;  ///< else mobilenet_v3_small
  std::int64_t classes = 1000;
  double dropout = 0.2;
  double width = 1;  ///< factor on the numbers of channels, which are multiples of 8
};

/// Networks for phones (Howard et al. 2019), torchvision.models.mobilenet_v3_large and mobilenet_v3_small:
/// x [N, 3, H, W] → logits [N, classes].
///   models::MobileNetV3 net({.large = false});
class MINIMA_API MobileNetV3 : public nn::Module {
 public:
  /// Throws ValueError unless classes is at least 1 and width positive.
  explicit MobileNetV3(const MobileNetV3Options& options = {});
  Tensor forward(const Tensor& x) override;

  MobileNetV3Options options;
  nn::Sequential features, classifier;
};

}  // namespace minima::models
