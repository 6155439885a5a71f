#include "network.h"

#include <minima/tensor/base/format.h>

#include <array>

using namespace minima;

namespace {

nn::Conv2d conv(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride = 1) {
  nn::Conv2d result({.in = in, .out = out, .kernel = kernel, .stride = stride, .padding = kernel / 2, .bias = false});
  nn::init::kaiming_normal_(result.weight, {.mode = nn::init::Fan::out, .nonlinearity = nn::init::Nonlinearity::relu});
  return result;
}

nn::BatchNorm2d norm(std::int64_t channels) { return nn::BatchNorm2d({.features = channels}); }

nn::Sequential projection(std::int64_t in, std::int64_t out, std::int64_t stride) {
  return nn::Sequential(conv(in, out, 1, stride), norm(out));
}

template <class Block>
nn::Sequential stage(std::int64_t in, std::int64_t width, int blocks, std::int64_t stride) {
  nn::Sequential result;
  result.push_back(Block(in, width, stride));
  for (int i = 1; i < blocks; ++i) result.push_back(Block(width * Block::expansion, width, 1));
  return result;
}

nn::Sequential stage(bool bottleneck, std::int64_t width, int blocks, std::int64_t stride) {
  // The previous stage is half as wide; before the first stage, the stem has 64 channels.
  const std::int64_t narrow = width == 64 ? 64 : width / 2;
  if (!bottleneck) return stage<BasicBlock>(narrow, width, blocks, stride);
  return stage<Bottleneck>(width == 64 ? 64 : narrow * Bottleneck::expansion, width, blocks, stride);
}

/// Blocks in each of the four stages.
std::array<int, 4> blocks_of(int depth) {
  switch (depth) {
    case 18: return {2, 2, 2, 2};
    case 34:
    case 50: return {3, 4, 6, 3};
    case 101: return {3, 4, 23, 3};
    case 152: return {3, 8, 36, 3};
  }
  throw ValueError(str("ResNet: depth must be 18, 34, 50, 101 or 152, got ", depth));
}

int block_count(int depth, int index) { return blocks_of(depth)[static_cast<std::size_t>(index)]; }

}  // namespace

BasicBlock::BasicBlock(std::int64_t in, std::int64_t width, std::int64_t stride)
    : conv1(child("conv1", conv(in, width, 3, stride))),
      bn1(child("bn1", norm(width))),
      conv2(child("conv2", conv(width, width, 3))),
      bn2(child("bn2", norm(width))),
      downsample(child("downsample", nn::OptionalOf<nn::Sequential>())) {
  if (stride != 1 || in != width) downsample = projection(in, width, stride);
}

Tensor BasicBlock::forward(const Tensor& x) {
  const Tensor y = conv2(bn1.relu(conv1(x)));
  return bn2.relu(y, downsample ? (*downsample)(x) : x);
}

Bottleneck::Bottleneck(std::int64_t in, std::int64_t width, std::int64_t stride)
    : conv1(child("conv1", conv(in, width, 1))),
      bn1(child("bn1", norm(width))),
      conv2(child("conv2", conv(width, width, 3, stride))),
      bn2(child("bn2", norm(width))),
      conv3(child("conv3", conv(width, width * expansion, 1))),
      bn3(child("bn3", norm(width * expansion))),
      downsample(child("downsample", nn::OptionalOf<nn::Sequential>())) {
  if (stride != 1 || in != width * expansion) downsample = projection(in, width * expansion, stride);
}

Tensor Bottleneck::forward(const Tensor& x) {
  const Tensor y = conv3(bn2.relu(conv2(bn1.relu(conv1(x)))));
  return bn3.relu(y, downsample ? (*downsample)(x) : x);
}

ResNet::ResNet(int depth, std::int64_t classes)
    : conv1(child("conv1", conv(3, 64, 7, 2))),
      bn1(child("bn1", norm(64))),
      layer1(child("layer1", stage(depth >= 50, 64, block_count(depth, 0), 1))),
      layer2(child("layer2", stage(depth >= 50, 128, block_count(depth, 1), 2))),
      layer3(child("layer3", stage(depth >= 50, 256, block_count(depth, 2), 2))),
      layer4(child("layer4", stage(depth >= 50, 512, block_count(depth, 3), 2))),
      fc(child("fc", nn::Linear({.in = depth >= 50 ? 2048 : 512, .out = classes}))) {}

Tensor ResNet::forward(const Tensor& x) {
  Tensor h = max_pool2d(bn1.relu(conv1(x)), {.kernel = 3, .stride = 2, .padding = 1});
  h = layer4(layer3(layer2(layer1(h))));
  return fc(mean(h, {2, 3}));
}
