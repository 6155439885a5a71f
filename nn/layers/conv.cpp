#include <minima/nn/layers/conv.h>

#include <minima/nn/init/default_init.h>
#include <minima/nn/layers/conv_padding.h>
#include <minima/nn/module/check_options.h>
#include <minima/ops/convolution/conv.h>
#include <minima/tensor/tensor.h>

namespace minima::nn {

namespace {

detail::ConvPadding padding_of(const Conv2dOptions& o) {
  return {{o.kernel.height, o.kernel.width},
          {o.stride.height, o.stride.width},
          {o.padding.height, o.padding.width},
          {o.dilation.height, o.dilation.width},
          o.padding_mode,
          o.same};
}

}  // namespace

Conv2d::Conv2d(const Conv2dOptions& given)
    : options(detail::checked_conv("Conv2d", given)),
      weight(parameter("weight",
                       empty({options.out, options.in / options.groups, options.kernel.height, options.kernel.width}))),
      bias(parameter("bias", options.bias ? empty({options.out}) : Tensor())) {
  detail::check_padding("Conv2d", padding_of(options));
  reset_parameters();
}

void Conv2d::reset_parameters() { detail::default_init_(weight, bias); }

Tensor Conv2d::forward(const Tensor& x) {
  const auto [input, padding] = detail::padded(x, padding_of(options));
  return conv2d(input, weight, bias,
                {.stride = options.stride,
                 .padding = {padding[0], padding[1]},
                 .dilation = options.dilation,
                 .groups = options.groups});
}

}  // namespace minima::nn
