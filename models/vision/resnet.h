#pragma once

#include <minima/nn/containers/sequential.h>
#include <minima/nn/layers/conv.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/module.h>
#include <minima/nn/norm/batch_norm.h>

#include <cstdint>

namespace minima::models {

struct ResNetOptions {
  int depth = 50;  ///< 18, 34, 50, 101 or 152
  std::int64_t classes = 1000;
  std::int64_t width = 64;  ///< channels after the first convolution
};

/// Residual networks (He et al. 2015), torchvision.models.resnet18 to resnet152: x [N, 3, H, W] → logits [N, classes].
/// From depth 50 on, blocks are bottlenecks whose 3 × 3 convolution has the stride.
///   models::ResNet net({.depth = 18});
///   nn::load("resnet18-f37072fd.pth", net);
class MINIMA_API ResNet : public nn::Module {
 public:
  /// Throws ValueError for another depth, and for sizes below 1.
  explicit ResNet(const ResNetOptions& options = {});
  Tensor forward(const Tensor& x) override;

  ResNetOptions options;
  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  nn::Sequential layer1, layer2, layer3, layer4;
  nn::Linear fc;
};

}  // namespace minima::models
