#include <minima/models/vision/mobilenet_v3.h>

#include <minima/models/check_size.h>
#include <minima/models/vision/blocks.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/layers/activation.h>
#include <minima/nn/layers/conv.h>
#include <minima/nn/layers/dropout.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/module.h>
#include <minima/nn/norm/batch_norm.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <vector>

namespace minima::models {

namespace {

enum class Hidden : std::uint8_t { relu, hardswish };

/// A row of the paper's tables 1 and 2.
struct BottleneckShape {
  std::int64_t in, kernel, expanded, out;
  bool squeezes;
  Hidden activation;
  std::int64_t stride;
};

const std::vector<BottleneckShape>& bottlenecks(bool large) {
  using enum Hidden;
  static const std::vector<BottleneckShape> of_large{
      {16, 3, 16, 16, false, relu, 1},        {16, 3, 64, 24, false, relu, 2},
      {24, 3, 72, 24, false, relu, 1},        {24, 5, 72, 40, true, relu, 2},
      {40, 5, 120, 40, true, relu, 1},        {40, 5, 120, 40, true, relu, 1},
      {40, 3, 240, 80, false, hardswish, 2},  {80, 3, 200, 80, false, hardswish, 1},
      {80, 3, 184, 80, false, hardswish, 1},  {80, 3, 184, 80, false, hardswish, 1},
      {80, 3, 480, 112, true, hardswish, 1},  {112, 3, 672, 112, true, hardswish, 1},
      {112, 5, 672, 160, true, hardswish, 2}, {160, 5, 960, 160, true, hardswish, 1},
      {160, 5, 960, 160, true, hardswish, 1},
  };
  static const std::vector<BottleneckShape> of_small{
      {16, 3, 16, 16, true, relu, 2},       {16, 3, 72, 24, false, relu, 2},      {24, 3, 88, 24, false, relu, 1},
      {24, 5, 96, 40, true, hardswish, 2},  {40, 5, 240, 40, true, hardswish, 1}, {40, 5, 240, 40, true, hardswish, 1},
      {40, 5, 120, 48, true, hardswish, 1}, {48, 5, 144, 48, true, hardswish, 1}, {48, 5, 288, 96, true, hardswish, 2},
      {96, 5, 576, 96, true, hardswish, 1}, {96, 5, 576, 96, true, hardswish, 1},
  };
  return large ? of_large : of_small;
}

void add_activation(nn::Sequential& layers, Hidden activation) {
  if (activation == Hidden::relu) layers.push_back(nn::ReLU());
  else layers.push_back(nn::Hardswish());
}

/// A convolution and its norm.
nn::Sequential normalized(const nn::Conv2d& convolution) {
  return nn::Sequential(convolution,
                        nn::BatchNorm2d({.features = convolution.options.out, .eps = 0.001, .momentum = 0.01}));
}
nn::Sequential normalized(const nn::Conv2d& convolution, Hidden activation) {
  nn::Sequential layers = normalized(convolution);
  add_activation(layers, activation);
  return layers;
}

/// 1 × 1 to more channels, a convolution of each, perhaps squeeze and excitation, 1 × 1 to fewer.
struct InvertedResidual : nn::Module {
  InvertedResidual(const BottleneckShape& shape, double width) : block(child("block", nn::Sequential())) {
    const auto scaled = [width](std::int64_t channels) {
      return detail::multiple_of_8(static_cast<double>(channels) * width);
    };
    const std::int64_t in = scaled(shape.in), expanded = scaled(shape.expanded), out = scaled(shape.out);
    adds = shape.stride == 1 && in == out;
    if (expanded != in) block.push_back(normalized(detail::conv(in, expanded, 1), shape.activation));
    block.push_back(
        normalized(detail::conv(expanded, expanded, shape.kernel, shape.stride, expanded), shape.activation));
    if (shape.squeezes) {
      const std::int64_t squeezed = detail::multiple_of_8(static_cast<double>(expanded / 4));
      block.push_back(detail::SqueezeExcitation(expanded, squeezed, &relu, &hardsigmoid));
    }
    block.push_back(normalized(detail::conv(expanded, out, 1)));
  }
  Tensor forward(const Tensor& x) override {
    const Tensor y = block(x);
    return adds ? y + x : y;
  }

  nn::Sequential block;
  bool adds = false;
};

const MobileNetV3Options& checked(const MobileNetV3Options& options) {
  detail::check_sizes("MobileNetV3", {{"classes", options.classes}});
  detail::check_factor("MobileNetV3", "width", options.width);
  detail::check_probability("MobileNetV3", "dropout", options.dropout);
  return options;
}

}  // namespace

MobileNetV3::MobileNetV3(const MobileNetV3Options& given)
    : options(checked(given)),
      features(child("features", nn::Sequential())),
      classifier(child("classifier", nn::Sequential())) {
  const auto scaled = [&](std::int64_t channels) {
    return detail::multiple_of_8(static_cast<double>(channels) * options.width);
  };
  const std::vector<BottleneckShape>& shapes = bottlenecks(options.large);
  features.push_back(normalized(detail::conv(3, scaled(16), 3, 2), Hidden::hardswish));
  for (const BottleneckShape& shape : shapes) features.push_back(InvertedResidual(shape, options.width));
  const std::int64_t last = scaled(shapes.back().out), hidden = scaled(options.large ? 1280 : 1024);
  features.push_back(normalized(detail::conv(last, 6 * last, 1), Hidden::hardswish));
  classifier.push_back(nn::Linear({.in = 6 * last, .out = hidden}));
  classifier.push_back(nn::Hardswish());
  classifier.push_back(nn::Dropout({options.dropout}));
  classifier.push_back(nn::Linear({.in = hidden, .out = options.classes}));
  detail::init_convolutions(*this);
  detail::init_linear_layers(*this, 0.01);
}

Tensor MobileNetV3::forward(const Tensor& x) { return classifier(detail::pooled(features(x))); }

}  // namespace minima::models
