#include <minima/models/vision/blocks.h>

#include <minima/nn/init/init.h>
#include <minima/nn/layers/conv.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/module_base.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/dropout/dropout.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstdint>

namespace minima::models::detail {

std::int64_t multiple_of_8(double channels) {
  const std::int64_t rounded = std::max<std::int64_t>(8, static_cast<std::int64_t>(channels + 4) / 8 * 8);
  return static_cast<double>(rounded) < 0.9 * channels ? rounded + 8 : rounded;
}

nn::Conv2d conv(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride, std::int64_t groups) {
  return nn::Conv2d({.in = in,
                     .out = out,
                     .kernel = kernel,
                     .stride = stride,
                     .padding = kernel / 2,
                     .groups = groups,
                     .bias = false});
}

void init_convolutions(nn::ModuleBase& module) {
  module.for_each([](nn::ModuleBase& m) {
    const auto* conv = m.as<nn::Conv2d>();
    if (!conv) return;
    nn::init::kaiming_normal_(conv->weight, {.mode = nn::init::Fan::out, .nonlinearity = nn::init::Nonlinearity::relu});
    if (conv->bias.defined()) nn::init::zeros_(conv->bias);
  });
}

void init_linear_layers(nn::ModuleBase& module, double std) {
  module.for_each([std](nn::ModuleBase& m) {
    const auto* linear = m.as<nn::Linear>();
    if (!linear) return;
    nn::init::normal_(linear->weight, 0, std);
    if (linear->bias.defined()) nn::init::zeros_(linear->bias);
  });
}

Tensor pooled(const Tensor& x) { return mean(x, {2, 3}); }

SqueezeExcitation::SqueezeExcitation(std::int64_t channels, std::int64_t squeezed, Function activation, Function scale)
    : fc1(child("fc1", nn::Conv2d({.in = channels, .out = squeezed, .kernel = 1}))),
      fc2(child("fc2", nn::Conv2d({.in = squeezed, .out = channels, .kernel = 1}))),
      activation_(activation),
      scale_(scale) {}

Tensor SqueezeExcitation::forward(const Tensor& x) { return x * scale_(fc2(activation_(fc1(mean(x, {2, 3}, true))))); }

Tensor stochastic_depth(const Tensor& x, double p, bool training) {
  if (!training || p == 0) return x;
  Shape sizes = x.shape();
  for (int i = 1; i < sizes.rank(); ++i) sizes[i] = 1;
  return x * dropout(ones(sizes, {.dtype = x.dtype(), .device = x.device()}), p);
}

}  // namespace minima::models::detail
