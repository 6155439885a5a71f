#include <minima/nn/layers/conv3d.h>

#include <minima/nn/init/default_init.h>
#include <minima/nn/layers/conv_padding.h>
#include <minima/nn/module/check_options.h>
#include <minima/ops/convolution/conv.h>
#include <minima/ops/convolution/conv_transpose.h>
#include <minima/ops/core/triple.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

namespace minima::nn {

namespace {

Shape numbers(const Triple& t) { return {t.depth, t.height, t.width}; }

detail::ConvPadding padding_of(const Conv3dOptions& o) {
  return {numbers(o.kernel), numbers(o.stride), numbers(o.padding), numbers(o.dilation), o.padding_mode, o.same};
}

Tensor weight_of(std::int64_t first, std::int64_t second, const Triple& kernel) {
  return empty({first, second, kernel.depth, kernel.height, kernel.width});
}

}  // namespace

Conv3d::Conv3d(const Conv3dOptions& given)
    : options(detail::checked_conv("Conv3d", given)),
      weight(parameter("weight", weight_of(options.out, options.in / options.groups, options.kernel))),
      bias(parameter("bias", options.bias ? empty({options.out}) : Tensor())) {
  detail::check_padding("Conv3d", padding_of(options));
  reset_parameters();
}

void Conv3d::reset_parameters() { detail::default_init_(weight, bias); }

Tensor Conv3d::forward(const Tensor& x) {
  const auto [input, padding] = detail::padded(x, padding_of(options));
  return conv3d(input, weight, bias,
                {.stride = options.stride,
                 .padding = {padding[0], padding[1], padding[2]},
                 .dilation = options.dilation,
                 .groups = options.groups});
}

ConvTranspose3d::ConvTranspose3d(const ConvTranspose3dOptions& given)
    : options(detail::checked_conv("ConvTranspose3d", given)),
      weight(parameter("weight", weight_of(options.in, options.out / options.groups, options.kernel))),
      bias(parameter("bias", options.bias ? empty({options.out}) : Tensor())) {
  reset_parameters();
}

void ConvTranspose3d::reset_parameters() { detail::default_init_(weight, bias); }

Tensor ConvTranspose3d::forward(const Tensor& x) {
  return conv_transpose3d(x, weight, bias,
                          {.stride = options.stride,
                           .padding = options.padding,
                           .output_padding = options.output_padding,
                           .dilation = options.dilation,
                           .groups = options.groups});
}

}  // namespace minima::nn
