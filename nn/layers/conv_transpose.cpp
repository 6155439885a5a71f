#include <minima/nn/layers/conv_transpose.h>

#include <minima/nn/init/default_init.h>
#include <minima/nn/layers/conv_padding.h>
#include <minima/nn/module/check_options.h>
#include <minima/ops/convolution/conv.h>
#include <minima/ops/convolution/conv_transpose.h>
#include <minima/tensor/tensor.h>

namespace minima::nn {

namespace {

detail::ConvPadding padding_of(const Conv1dOptions& o) {
  return {{o.kernel}, {o.stride}, {o.padding}, {o.dilation}, o.padding_mode, o.same};
}

}  // namespace

Conv1d::Conv1d(const Conv1dOptions& given)
    : options(detail::checked_conv("Conv1d", given)),
      weight(parameter("weight", empty({options.out, options.in / options.groups, options.kernel}))),
      bias(parameter("bias", options.bias ? empty({options.out}) : Tensor())) {
  detail::check_padding("Conv1d", padding_of(options));
  reset_parameters();
}
void Conv1d::reset_parameters() { detail::default_init_(weight, bias); }
Tensor Conv1d::forward(const Tensor& x) {
  const auto [input, padding] = detail::padded(x, padding_of(options));
  return conv1d(
      input, weight, bias,
      {.stride = options.stride, .padding = padding[0], .dilation = options.dilation, .groups = options.groups});
}

ConvTranspose1d::ConvTranspose1d(const ConvTranspose1dOptions& given)
    : options(detail::checked_conv("ConvTranspose1d", given)),
      weight(parameter("weight", empty({options.in, options.out / options.groups, options.kernel}))),
      bias(parameter("bias", options.bias ? empty({options.out}) : Tensor())) {
  reset_parameters();
}
void ConvTranspose1d::reset_parameters() { detail::default_init_(weight, bias); }
Tensor ConvTranspose1d::forward(const Tensor& x) {
  return conv_transpose1d(x, weight, bias,
                          {.stride = options.stride,
                           .padding = options.padding,
                           .output_padding = options.output_padding,
                           .dilation = options.dilation,
                           .groups = options.groups});
}

ConvTranspose2d::ConvTranspose2d(const ConvTranspose2dOptions& given)
    : options(detail::checked_conv("ConvTranspose2d", given)),
      weight(parameter("weight",
                       empty({options.in, options.out / options.groups, options.kernel.height, options.kernel.width}))),
      bias(parameter("bias", options.bias ? empty({options.out}) : Tensor())) {
  reset_parameters();
}
void ConvTranspose2d::reset_parameters() { detail::default_init_(weight, bias); }
Tensor ConvTranspose2d::forward(const Tensor& x) {
  return conv_transpose2d(x, weight, bias,
                          {.stride = options.stride,
                           .padding = options.padding,
                           .output_padding = options.output_padding,
                           .dilation = options.dilation,
                           .groups = options.groups});
}

}  // namespace minima::nn
