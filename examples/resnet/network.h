#pragma once

#include <minima/minima.h>

// He et al. 2015, "Deep Residual Learning for Image Recognition", torchvision's variant: a bottleneck's 3 × 3
// convolution has the stride, and parameter names match, so torchvision's checkpoints load.

/// Two 3 × 3 convolutions and a shortcut. x [N, in, H, W] → [N, width, H / stride, W / stride]
struct BasicBlock : minima::nn::Module {
  static constexpr std::int64_t expansion = 1;
  BasicBlock(std::int64_t in, std::int64_t width, std::int64_t stride);
  minima::Tensor forward(const minima::Tensor& x) override;

  minima::nn::Conv2d conv1;
  minima::nn::BatchNorm2d bn1;
  minima::nn::Conv2d conv2;
  minima::nn::BatchNorm2d bn2;
  minima::nn::OptionalOf<minima::nn::Sequential> downsample;
};

/// 1 × 1 to `width` channels, 3 × 3, 1 × 1 to 4·width, and a shortcut.
/// x [N, in, H, W] → [N, 4·width, H / stride, W / stride]
struct Bottleneck : minima::nn::Module {
  static constexpr std::int64_t expansion = 4;
  Bottleneck(std::int64_t in, std::int64_t width, std::int64_t stride);
  minima::Tensor forward(const minima::Tensor& x) override;

  minima::nn::Conv2d conv1;
  minima::nn::BatchNorm2d bn1;
  minima::nn::Conv2d conv2;
  minima::nn::BatchNorm2d bn2;
  minima::nn::Conv2d conv3;
  minima::nn::BatchNorm2d bn3;
  minima::nn::OptionalOf<minima::nn::Sequential> downsample;
};

/// x [N, 3, H, W] → logits [N, classes]
struct ResNet : minima::nn::Module {
  /// Throws ValueError for a depth other than 18, 34, 50, 101 and 152.
  explicit ResNet(int depth, std::int64_t classes = 1000);
  minima::Tensor forward(const minima::Tensor& x) override;

  minima::nn::Conv2d conv1;
  minima::nn::BatchNorm2d bn1;
  minima::nn::Sequential layer1, layer2, layer3, layer4;
  minima::nn::Linear fc;
};
