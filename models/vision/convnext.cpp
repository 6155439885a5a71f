#include <minima/models/vision/convnext.h>

#include <minima/models/check_size.h>
#include <minima/models/vision/blocks.h>
#include <minima/nn/init/init.h>
#include <minima/nn/layers/conv.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/module.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/norm/layer_norm.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/gemm/activation.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <numeric>

namespace minima::models {

namespace {

Tensor channels_to_back(const Tensor& x) { return permute(x, {0, 2, 3, 1}); }
Tensor channels_to_front(const Tensor& x) { return permute(x, {0, 3, 1, 2}); }

nn::LayerNorm channel_norm(std::int64_t width) { return nn::LayerNorm({.shape = {width}, .eps = 1e-6}); }

/// The norm of each pixel's channels: x [N, C, H, W].
struct LayerNorm2d : nn::LayerNorm {
  explicit LayerNorm2d(std::int64_t width) : LayerNorm({.shape = {width}, .eps = 1e-6}) {}
  Tensor forward(const Tensor& x) override { return channels_to_front(LayerNorm::forward(channels_to_back(x))); }
};

/// A convolution of each channel, then a feed-forward layer on the channels of each pixel.
struct CNBlock : nn::Module {
  CNBlock(std::int64_t width, double scale, double skipped)
      : block(child("block", nn::Sequential())),
        layer_scale(parameter("layer_scale", full({width, 1, 1}, scale, {.dtype = float32}))),
        p(skipped) {
    // torchvision counts the permutations and the activation as layers.
    block.push_back("0", nn::Conv2d({.in = width, .out = width, .kernel = 7, .padding = 3, .groups = width}));
    block.push_back("1", &channels_to_back);
    block.push_back("2", channel_norm(width));
    block.push_back("3", nn::Linear({.in = width, .out = 4 * width, .activation = Activation::gelu}));
    block.push_back("5", nn::Linear({.in = 4 * width, .out = width}));
    block.push_back("6", &channels_to_front);
  }
  Tensor forward(const Tensor& x) override {
    return detail::stochastic_depth(layer_scale * block(x), p, is_training()) + x;
  }

  nn::Sequential block;
  nn::Parameter layer_scale;
  double p;
};

const ConvNeXtOptions& checked(const ConvNeXtOptions& options) {
  detail::check_sizes("ConvNeXt", {{"classes", options.classes}});
  for (const std::int64_t blocks : options.blocks) detail::check_sizes("ConvNeXt", {{"blocks", blocks}});
  for (const std::int64_t width : options.widths) detail::check_sizes("ConvNeXt", {{"widths", width}});
  detail::check_probability("ConvNeXt", "stochastic_depth", options.stochastic_depth);
  minima::detail::check_number("ConvNeXt", "layer_scale", options.layer_scale, minima::detail::finite);
  return options;
}

}  // namespace

ConvNeXt::ConvNeXt(const ConvNeXtOptions& given)
    : options(checked(given)),
      features(child("features", nn::Sequential())),
      classifier(child("classifier", nn::Sequential())) {
  const std::int64_t all = std::accumulate(options.blocks.begin(), options.blocks.end(), std::int64_t{0});
  std::int64_t index = 0, in = 3;
  for (std::size_t i = 0; i < options.widths.size(); ++i) {
    const std::int64_t width = options.widths[i];
    if (i == 0)
      features.push_back(
          nn::Sequential(nn::Conv2d({.in = in, .out = width, .kernel = 4, .stride = 4}), LayerNorm2d(width)));
    else
      features.push_back(
          nn::Sequential(LayerNorm2d(in), nn::Conv2d({.in = in, .out = width, .kernel = 2, .stride = 2})));
    nn::Sequential blocks;
    for (std::int64_t n = 0; n < options.blocks[i]; ++n, ++index)
      blocks.push_back(CNBlock(width, options.layer_scale,
                               options.stochastic_depth * static_cast<double>(index) / static_cast<double>(all - 1)));
    features.push_back(blocks);
    in = width;
  }
  classifier.push_back("0", channel_norm(in));
  classifier.push_back("2", nn::Linear({.in = in, .out = options.classes}));
  detail::init_linear_layers(*this, 0.02);
  for_each([](nn::ModuleBase& module) {
    const auto* conv = module.as<nn::Conv2d>();
    if (!conv) return;
    nn::init::normal_(conv->weight, 0, 0.02);
    nn::init::zeros_(conv->bias);
  });
}

Tensor ConvNeXt::forward(const Tensor& x) { return classifier(detail::pooled(features(x))); }

}  // namespace minima::models
