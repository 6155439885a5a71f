#pragma once

#include <minima/minima.h>

/// Two convolutions with batch norm and pooling, then two linear layers: 421,834 parameters.
/// x [N, 1, 28, 28] → logits [N, 10]
struct Network : minima::nn::Module {
  minima::nn::Conv2d conv1 = child("conv1", minima::nn::Conv2d({.in = 1, .out = 32, .kernel = 3, .padding = 1}));
  minima::nn::BatchNorm2d norm1 = child("norm1", minima::nn::BatchNorm2d({.features = 32}));
  minima::nn::Conv2d conv2 = child("conv2", minima::nn::Conv2d({.in = 32, .out = 64, .kernel = 3, .padding = 1}));
  minima::nn::BatchNorm2d norm2 = child("norm2", minima::nn::BatchNorm2d({.features = 64}));
  minima::nn::Linear linear1 = child("linear1", minima::nn::Linear({.in = 64 * 7 * 7, .out = 128}));
  minima::nn::Linear linear2 = child("linear2", minima::nn::Linear({.in = 128, .out = 10}));

  bool is_plain = false;  ///< leaves out batch norm and dropout, with which a batch is more than its samples

  minima::Tensor forward(const minima::Tensor& x) override {
    using namespace minima;
    Tensor h = conv1(x);
    h = max_pool2d(relu(is_plain ? h : norm1(h)), {.kernel = 2});
    h = conv2(h);
    h = max_pool2d(relu(is_plain ? h : norm2(h)), {.kernel = 2});
    return linear2(dropout(relu(linear1(flatten(h, 1))), 0.3, is_training() && !is_plain));
  }
};
