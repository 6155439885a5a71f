#include <minima/models/vision/efficientnet.h>

#include <minima/models/check_size.h>
#include <minima/models/vision/blocks.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/init/init.h>
#include <minima/nn/layers/activation.h>
#include <minima/nn/layers/conv.h>
#include <minima/nn/layers/dropout.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/module.h>
#include <minima/nn/norm/batch_norm.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace minima::models {

namespace {

/// A row of the paper's table 1.
struct MBConvStage {
  std::int64_t expansion, kernel, stride, in, out, blocks;
};
constexpr std::array<MBConvStage, 7> stages{{{1, 3, 1, 32, 16, 1},
                                             {6, 3, 2, 16, 24, 2},
                                             {6, 5, 2, 24, 40, 2},
                                             {6, 3, 2, 40, 80, 3},
                                             {6, 5, 1, 80, 112, 3},
                                             {6, 5, 2, 112, 192, 4},
                                             {6, 3, 1, 192, 320, 1}}};

/// A convolution, its norm, and SiLU if it is active.
nn::Sequential conv_norm(const nn::Conv2d& convolution, bool active = true) {
  nn::Sequential layers(convolution, nn::BatchNorm2d({.features = convolution.options.out}));
  if (active) layers.push_back(nn::SiLU());
  return layers;
}

/// 1 × 1 to more channels, a convolution of each, squeeze and excitation, 1 × 1 to fewer.
struct MBConv : nn::Module {
  MBConv(const MBConvStage& shape, double skipped)
      : block(child("block", nn::Sequential())), adds(shape.stride == 1 && shape.in == shape.out), p(skipped) {
    const std::int64_t in = shape.in;
    const std::int64_t expanded = detail::multiple_of_8(static_cast<double>(in * shape.expansion));
    if (expanded != in) block.push_back(conv_norm(detail::conv(in, expanded, 1)));
    block.push_back(conv_norm(detail::conv(expanded, expanded, shape.kernel, shape.stride, expanded)));
    block.push_back(detail::SqueezeExcitation(expanded, std::max<std::int64_t>(1, in / 4), &silu, &sigmoid));
    block.push_back(conv_norm(detail::conv(expanded, shape.out, 1), false));
  }
  Tensor forward(const Tensor& x) override {
    const Tensor y = block(x);
    return adds ? detail::stochastic_depth(y, p, is_training()) + x : y;
  }

  nn::Sequential block;
  bool adds;
  double p;
};

const EfficientNetOptions& checked(const EfficientNetOptions& options) {
  detail::check_sizes("EfficientNet", {{"classes", options.classes}});
  detail::check_factor("EfficientNet", "width", options.width);
  detail::check_factor("EfficientNet", "depth", options.depth);
  detail::check_probability("EfficientNet", "stochastic_depth", options.stochastic_depth);
  detail::check_probability("EfficientNet", "dropout", options.dropout);
  return options;
}

}  // namespace

EfficientNet::EfficientNet(const EfficientNetOptions& given)
    : options(checked(given)),
      features(child("features", nn::Sequential())),
      classifier(child("classifier", nn::Sequential())) {
  const auto scaled = [&](std::int64_t channels) {
    return detail::multiple_of_8(static_cast<double>(channels) * options.width);
  };
  const auto count = [&](const MBConvStage& stage) {
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(stage.blocks) * options.depth));
  };
  std::int64_t all = 0, index = 0;
  for (const MBConvStage& stage : stages) all += count(stage);
  features.push_back(conv_norm(detail::conv(3, scaled(32), 3, 2)));
  for (MBConvStage shape : stages) {
    shape.in = scaled(shape.in);
    shape.out = scaled(shape.out);
    nn::Sequential blocks;
    for (std::int64_t i = 0; i < count(shape); ++i, ++index, shape.in = shape.out, shape.stride = 1)
      blocks.push_back(MBConv(shape, options.stochastic_depth * static_cast<double>(index) / static_cast<double>(all)));
    features.push_back(blocks);
  }
  const std::int64_t last = scaled(stages.back().out);
  features.push_back(conv_norm(detail::conv(last, 4 * last, 1)));
  nn::Linear head({.in = 4 * last, .out = options.classes});
  classifier.push_back(nn::Dropout({options.dropout}));
  classifier.push_back(head);
  detail::init_convolutions(*this);
  const double bound = 1 / std::sqrt(static_cast<double>(options.classes));
  nn::init::uniform_(head.weight, -bound, bound);
  nn::init::zeros_(head.bias);
}

Tensor EfficientNet::forward(const Tensor& x) { return classifier(detail::pooled(features(x))); }

}  // namespace minima::models
