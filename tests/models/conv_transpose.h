#pragma once

#include <minima/minima.h>

namespace minima::test {

struct ConvTransposeOptions {
  std::int64_t in = 0, out = 0, kernel = 0, stride = 1, padding = 0;
  bool bias = true;
};

/// torch.nn.ConvTranspose2d.
struct ConvTranspose2d : nn::Module {
  explicit ConvTranspose2d(const ConvTransposeOptions& given)
      : options(given), weight(parameter("weight", zeros({given.in, given.out, given.kernel, given.kernel}))),
        bias(parameter("bias", given.bias ? nn::Parameter(zeros({given.out})) : nn::Parameter())) {}
  Tensor forward(const Tensor& x) override {
    return conv_transpose2d(x, weight, bias, {.stride = options.stride, .padding = options.padding});
  }
  ConvTransposeOptions options;
  nn::Parameter weight, bias;
};

}  // namespace minima::test
