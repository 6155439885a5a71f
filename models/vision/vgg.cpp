#include <minima/models/vision/vgg.h>

#include <minima/models/check_size.h>
#include <minima/models/vision/blocks.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/layers/activation.h>
#include <minima/nn/layers/conv.h>
#include <minima/nn/layers/dropout.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/layers/pooling.h>
#include <minima/nn/norm/batch_norm.h>
#include <minima/ops/pooling/avg_pool.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace minima::models {

namespace {

/// Convolutions between two poolings.
std::array<int, 5> convolutions_of(int depth) {
  switch (depth) {
    case 11: return {1, 1, 2, 2, 2};
    case 13: return {2, 2, 2, 2, 2};
    case 16: return {2, 2, 3, 3, 3};
    case 19: return {2, 2, 4, 4, 4};
  }
  throw ValueError(str("VGG: depth must be 11, 13, 16 or 19, not ", depth));
}

const VGGOptions& checked(const VGGOptions& options) {
  detail::check_sizes("VGG", {{"classes", options.classes}, {"width", options.width}, {"hidden", options.hidden}});
  detail::check_probability("VGG", "dropout", options.dropout);
  return options;
}

nn::Sequential vgg_features(const VGGOptions& options) {
  nn::Sequential layers;
  std::int64_t in = 3, out = options.width;
  for (const int count : convolutions_of(options.depth)) {
    for (int i = 0; i < count; ++i, in = out) {
      layers.push_back(nn::Conv2d({.in = in, .out = out, .kernel = 3, .padding = 1}));
      if (options.batch_norm) layers.push_back(nn::BatchNorm2d({.features = out}));
      layers.push_back(nn::ReLU());
    }
    layers.push_back(nn::MaxPool2d({.kernel = 2}));
    out = std::min(2 * out, 8 * options.width);
  }
  return layers;
}

nn::Sequential vgg_classifier(const VGGOptions& options) {
  return nn::Sequential(nn::Linear({.in = 8 * options.width * 7 * 7, .out = options.hidden}), nn::ReLU(),
                        nn::Dropout({options.dropout}), nn::Linear({.in = options.hidden, .out = options.hidden}),
                        nn::ReLU(), nn::Dropout({options.dropout}),
                        nn::Linear({.in = options.hidden, .out = options.classes}));
}

}  // namespace

VGG::VGG(const VGGOptions& given)
    : options(checked(given)),
      features(child("features", vgg_features(options))),
      classifier(child("classifier", vgg_classifier(options))) {
  detail::init_convolutions(*this);
  detail::init_linear_layers(*this, 0.01);
}

Tensor VGG::forward(const Tensor& x) { return classifier(flatten(adaptive_avg_pool2d(features(x), 7), 1)); }

}  // namespace minima::models
