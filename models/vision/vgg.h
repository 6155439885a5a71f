#pragma once

#include <minima/nn/containers/sequential.h>
#include <minima/nn/module/module.h>

#include <cstdint>

namespace minima::models {

struct VGGOptions {
  int depth = 16;           ///< 11, 13, 16 or 19
  bool batch_norm = false;  ///< after each convolution, torchvision's vgg16_bn
  std::int64_t classes = 1000;
  double dropout = 0.5;        ///< of the hidden layers
  std::int64_t width = 64;     ///< channels of the first convolution
  std::int64_t hidden = 4096;  ///< features of the two hidden layers
};

/// Plain convolutional networks (Simonyan and Zisserman 2014), torchvision.models.vgg11 to vgg19 and vgg11_bn to
/// vgg19_bn: x [N, 3, H, W] with H and W at least 32 → logits [N, classes].
///   models::VGG net({.depth = 16, .batch_norm = true});
class MINIMA_API VGG : public nn::Module {
 public:
  /// Throws ValueError for another depth, and for sizes below 1.
  explicit VGG(const VGGOptions& options = {});
  Tensor forward(const Tensor& x) override;

  VGGOptions options;
  nn::Sequential features, classifier;
};

}  // namespace minima::models
