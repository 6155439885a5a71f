#include <minima/nn/layers/conv.h>

#include <minima/nn/init/start.h>
#include <minima/nn/module/check.h>
#include <minima/ops/conv2d/conv2d.h>

namespace minima::nn {

namespace {

const Conv2dOptions& checked(const Conv2dOptions& options) {
  detail::expect_at_least("Conv2d", "in", 1, options.in);
  detail::expect_at_least("Conv2d", "out", 1, options.out);
  detail::expect_at_least("Conv2d", "kernel", 1, options.kernel);
  detail::expect_at_least("Conv2d", "stride", 1, options.stride);
  detail::expect_at_least("Conv2d", "padding", 0, options.padding);
  detail::expect_at_least("Conv2d", "dilation", 1, options.dilation);
  detail::expect_at_least("Conv2d", "groups", 1, options.groups);
  if (options.in % options.groups != 0 || options.out % options.groups != 0)
    throw ValueError(
        str("Conv2d: ", options.groups, " groups do not divide in = ", options.in, " and out = ", options.out));
  return options;
}

}  // namespace

Conv2d::Conv2d(const Conv2dOptions& given)
    : options(checked(given)),
      weight(parameter("weight",
                       empty({options.out, options.in / options.groups, options.kernel.height, options.kernel.width}))),
      bias(parameter("bias", options.bias ? empty({options.out}) : Tensor())) {
  reset_parameters();
}

void Conv2d::reset_parameters() { detail::start_as_pytorch(weight, bias); }

Tensor Conv2d::forward(const Tensor& x) {
  return conv2d(
      x, weight, bias,
      {.stride = options.stride, .padding = options.padding, .dilation = options.dilation, .groups = options.groups});
}

}  // namespace minima::nn
