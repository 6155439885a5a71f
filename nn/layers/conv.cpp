#include <minima/nn/layers/conv.h>

#include <minima/nn/init/default_init.h>
#include <minima/nn/module/check_options.h>
#include <minima/ops/conv2d/conv2d.h>
#include <minima/tensor/tensor.h>

namespace minima::nn {

Conv2d::Conv2d(const Conv2dOptions& given)
    : options(detail::checked_conv("Conv2d", given)),
      weight(parameter("weight",
                       empty({options.out, options.in / options.groups, options.kernel.height, options.kernel.width}))),
      bias(parameter("bias", options.bias ? empty({options.out}) : Tensor())) {
  reset_parameters();
}

void Conv2d::reset_parameters() { detail::default_init_(weight, bias); }

Tensor Conv2d::forward(const Tensor& x) {
  return conv2d(
      x, weight, bias,
      {.stride = options.stride, .padding = options.padding, .dilation = options.dilation, .groups = options.groups});
}

}  // namespace minima::nn
