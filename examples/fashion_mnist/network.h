#pragma once

#include <minima/minima.h>

/// Convolution, batch norm, ReLU and pooling: x [N, in, H, W] → [N, out, H / 2, W / 2]
struct Stage : minima::nn::Module {
  minima::nn::Conv2d conv;
  minima::nn::BatchNorm2d norm;
  bool is_plain = false;  ///< leave out batch norm

  Stage(std::int64_t in, std::int64_t out)
      : conv(child("conv", minima::nn::Conv2d({.in = in, .out = out, .kernel = 3, .padding = 1}))),
        norm(child("norm", minima::nn::BatchNorm2d({.features = out}))) {}
  minima::Tensor forward(const minima::Tensor& x) override {
    const minima::Tensor h = conv(x);
    return minima::max_pool2d(minima::relu(is_plain ? h : norm(h)), {.kernel = 2});
  }
};

/// Two stages, then two linear layers: 421,834 parameters.
/// x [N, 1, 28, 28] → logits [N, 10]
struct Network : minima::nn::Module {
  minima::nn::Sequential stages = child("stages", minima::nn::Sequential(Stage(1, 32), Stage(32, 64)));
  minima::nn::Linear linear1 = child("linear1", minima::nn::Linear({.in = 64 * 7 * 7, .out = 128}));
  minima::nn::Linear linear2 = child("linear2", minima::nn::Linear({.in = 128, .out = 10}));
  bool checkpointed = false;  ///< stages save only their inputs and are recomputed in backward
  bool is_plain = false;      ///< leave out batch norm and dropout, so that samples do not affect each other

  minima::Tensor forward(const minima::Tensor& x) override {
    using namespace minima;
    Tensor h = x;
    for (const nn::AnyModule& stage : stages) h = checkpointed ? checkpoint(stage, h) : stage(h);
    return linear2(dropout(relu(linear1(flatten(h, 1))), 0.3, is_training() && !is_plain));
  }
};
