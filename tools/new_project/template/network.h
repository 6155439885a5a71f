#pragma once

#include <minima/minima.h>

/// A multilayer perceptron: x [N, 2] → logits [N, 3].
struct Network : minima::nn::Module {
  minima::nn::Linear in = child("in", minima::nn::Linear({.in = 2, .out = 64}));
  minima::nn::Linear hidden = child("hidden", minima::nn::Linear({.in = 64, .out = 64}));
  minima::nn::Linear out = child("out", minima::nn::Linear({.in = 64, .out = 3}));
  minima::Tensor forward(const minima::Tensor& x) override { return out(relu(hidden(relu(in(x))))); }
};
