#include <minima/models/vision/resnet.h>

#include <minima/models/check_size.h>
#include <minima/models/vision/blocks.h>
#include <minima/nn/containers/list.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/layers/conv.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/module.h>
#include <minima/nn/norm/batch_norm.h>
#include <minima/nn/norm/conv_norm.h>
#include <minima/ops/pooling/max_pool.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace minima::models {

namespace {

nn::BatchNorm2d norm(std::int64_t channels) { return nn::BatchNorm2d({.features = channels}); }

nn::OptionalOf<nn::Sequential> shortcut(std::int64_t in, std::int64_t out, std::int64_t stride) {
  if (stride == 1 && in == out) return {};
  return nn::Sequential(detail::conv(in, out, 1, stride), norm(out));
}

/// Two 3 × 3 convolutions.
struct BasicBlock : nn::Module {
  static constexpr std::int64_t expansion = 1;
  BasicBlock(std::int64_t in, std::int64_t width, std::int64_t stride)
      : conv1(child("conv1", detail::conv(in, width, 3, stride))),
        bn1(child("bn1", norm(width))),
        conv2(child("conv2", detail::conv(width, width, 3))),
        bn2(child("bn2", norm(width))),
        downsample(child("downsample", shortcut(in, width, stride))) {}
  Tensor forward(const Tensor& x) override {
    const Tensor y = nn::conv_norm_relu(conv1, bn1, x);
    return nn::conv_norm_relu(conv2, bn2, y, downsample ? (*downsample)(x) : x);
  }

  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  nn::Conv2d conv2;
  nn::BatchNorm2d bn2;
  nn::OptionalOf<nn::Sequential> downsample;
};

/// 1 × 1 to `width` channels, 3 × 3, 1 × 1 to four times as many.
struct Bottleneck : nn::Module {
  static constexpr std::int64_t expansion = 4;
  Bottleneck(std::int64_t in, std::int64_t width, std::int64_t stride)
      : conv1(child("conv1", detail::conv(in, width, 1))),
        bn1(child("bn1", norm(width))),
        conv2(child("conv2", detail::conv(width, width, 3, stride))),
        bn2(child("bn2", norm(width))),
        conv3(child("conv3", detail::conv(width, width * expansion, 1))),
        bn3(child("bn3", norm(width * expansion))),
        downsample(child("downsample", shortcut(in, width * expansion, stride))) {}
  Tensor forward(const Tensor& x) override {
    const Tensor y = nn::conv_norm_relu(conv2, bn2, nn::conv_norm_relu(conv1, bn1, x));
    return nn::conv_norm_relu(conv3, bn3, y, downsample ? (*downsample)(x) : x);
  }

  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  nn::Conv2d conv2;
  nn::BatchNorm2d bn2;
  nn::Conv2d conv3;
  nn::BatchNorm2d bn3;
  nn::OptionalOf<nn::Sequential> downsample;
};

/// Blocks in each of the four stages.
std::array<int, 4> blocks_of(int depth) {
  switch (depth) {
    case 18: return {2, 2, 2, 2};
    case 34:
    case 50: return {3, 4, 6, 3};
    case 101: return {3, 4, 23, 3};
    case 152: return {3, 8, 36, 3};
  }
  throw ValueError(str("ResNet: depth must be 18, 34, 50, 101 or 152, not ", depth));
}

const ResNetOptions& checked(const ResNetOptions& options) {
  detail::check_sizes("ResNet", {{"classes", options.classes}, {"width", options.width}});
  blocks_of(options.depth);
  return options;
}

std::int64_t expansion_of(const ResNetOptions& options) {
  return options.depth < 50 ? BasicBlock::expansion : Bottleneck::expansion;
}

template <class Block>
nn::Sequential blocks(std::int64_t in, std::int64_t width, std::int64_t stride, int count) {
  nn::Sequential result(Block(in, width, stride));
  for (int i = 1; i < count; ++i) result.push_back(Block(width * Block::expansion, width, 1));
  return result;
}

/// Each stage has twice the channels of the one before and, but for the first, half its size.
nn::Sequential stage(const ResNetOptions& options, int index) {
  const int count = blocks_of(options.depth)[static_cast<std::size_t>(index)];
  const std::int64_t width = options.width << index;
  const std::int64_t in = index == 0 ? width : width / 2 * expansion_of(options);
  const std::int64_t stride = index == 0 ? 1 : 2;
  return options.depth < 50 ? blocks<BasicBlock>(in, width, stride, count)
                            : blocks<Bottleneck>(in, width, stride, count);
}

}  // namespace

ResNet::ResNet(const ResNetOptions& given)
    : options(checked(given)),
      conv1(child("conv1", detail::conv(3, options.width, 7, 2))),
      bn1(child("bn1", norm(options.width))),
      layer1(child("layer1", stage(options, 0))),
      layer2(child("layer2", stage(options, 1))),
      layer3(child("layer3", stage(options, 2))),
      layer4(child("layer4", stage(options, 3))),
      fc(child("fc", nn::Linear({.in = 8 * options.width * expansion_of(options), .out = options.classes}))) {
  detail::init_convolutions(*this);
}

Tensor ResNet::forward(const Tensor& x) {
  const Tensor h = max_pool2d(nn::conv_norm_relu(conv1, bn1, x), {.kernel = 3, .stride = 2, .padding = 1});
  return fc(detail::pooled(layer4(layer3(layer2(layer1(h))))));
}

}  // namespace minima::models
