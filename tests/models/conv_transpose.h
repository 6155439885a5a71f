#pragma once

#include <minima/minima.h>

namespace minima::test {

struct ConvTransposeOptions {
  std::int64_t in = 0, out = 0, kernel = 0, stride = 1, padding = 0;
  bool bias = true;
};

/// torch.nn.ConvTranspose2d: a convolution by the flipped kernel over x with zeros between its elements.
struct ConvTranspose2d : nn::Module {
  explicit ConvTranspose2d(const ConvTransposeOptions& given)
      : options(given), weight(parameter("weight", zeros({given.in, given.out, given.kernel, given.kernel}))),
        bias(parameter("bias", given.bias ? nn::Parameter(zeros({given.out})) : nn::Parameter())) {}
  Tensor forward(const Tensor& x) override {
    const std::int64_t n = x.size(0), c = x.size(1), h = x.size(2), w = x.size(3), s = options.stride;
    Tensor spread = pad(reshape(x, {n, c, h, 1, w, 1}), {0, s - 1, 0, 0, 0, s - 1, 0, 0});
    spread = narrow(narrow(reshape(spread, {n, c, h * s, w * s}), 2, 0, (h - 1) * s + 1), 3, 0, (w - 1) * s + 1);
    const Tensor kernel = transpose(flip(weight, {2, 3}), 0, 1);
    return conv2d(spread, kernel, bias, {.padding = options.kernel - 1 - options.padding});
  }
  ConvTransposeOptions options;
  nn::Parameter weight, bias;
};

}  // namespace minima::test
