#include <minima/ops/conv_transpose2d/conv_transpose2d.h>

#include <minima/ops/arrange/arrange.h>
#include <minima/ops/conv2d/conv2d_gradients.h>
#include <minima/ops/images/images.h>
#include <minima/ops/images/unbatched.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <cstdint>

namespace minima {

namespace {

struct Axis {
  std::int64_t size, kernel, stride, padding, output_padding, dilation;
};

std::int64_t result_size(const Axis& a, const Tensor& x) {
  if (a.stride < 1 || a.dilation < 1 || a.padding < 0)
    throw ValueError(str("conv_transpose2d: stride and dilation must be positive and padding not negative, got ",
                         a.stride, ", ", a.dilation, " and ", a.padding));
  if (a.output_padding < 0 || (a.output_padding >= a.stride && a.output_padding >= a.dilation))
    throw ValueError(str("conv_transpose2d: output_padding must be below stride or dilation, got ", a.output_padding));
  using detail::Wide;
  const std::int64_t size = detail::fit(
      Wide{a.size - 1} * a.stride - 2 * Wide{a.padding} + Wide{a.dilation} * (a.kernel - 1) + a.output_padding + 1,
      "conv_transpose2d");
  if (size < 1)
    throw ShapeError(str("conv_transpose2d: the result of x ", x, " would have size ", size, "; use less padding"));
  return size;
}

Tensor convolved_transposed(const Tensor& input, const Tensor& kernel, const Tensor& bias,
                            const ConvTranspose2dOptions& options) {
  detail::check_defined("conv_transpose2d", input);
  detail::check_defined("conv_transpose2d", kernel, 1);
  const Tensor x = detail::autocast(Cast::to_lower, input), weight = detail::autocast(Cast::to_lower, kernel);
  const detail::WithoutAutocast guard;
  if (x.rank() != 4 || weight.rank() != 4 || options.groups < 1 || x.shape()[1] != weight.shape()[0] ||
      x.shape()[1] % options.groups != 0)
    throw ShapeError(
        str("conv_transpose2d: needs x [N, C, H, W] or [C, H, W] and weight [C, O / groups, kH, kW] with groups that "
            "divide C, got ",
            x.shape(), " and ", weight.shape(), " with ", options.groups, " groups"));
  if (!is_floating(x.dtype()) || x.dtype() != weight.dtype())
    throw DTypeError(
        str("conv_transpose2d: needs one floating dtype, got ", x, " and ", weight, "; convert one with to()"));
  if (weight.shape()[2] < 1 || weight.shape()[3] < 1)
    throw ShapeError(str("conv_transpose2d: the kernel of weight ", weight.shape(), " is empty"));
  const std::int64_t outputs = detail::fit(detail::Wide{weight.shape()[1]} * options.groups, "conv_transpose2d");
  if (bias.defined() && bias.shape() != Shape{outputs})
    throw ShapeError(
        str("conv_transpose2d: bias must be [", outputs, "] for weight ", weight.shape(), ", got ", bias.shape()));
  const Shape shape{x.shape()[0], outputs,
                    result_size({x.shape()[2], weight.shape()[2], options.stride.height, options.padding.height,
                                 options.output_padding.height, options.dilation.height},
                                x),
                    result_size({x.shape()[3], weight.shape()[3], options.stride.width, options.padding.width,
                                 options.output_padding.width, options.dilation.width},
                                x)};
  const bool last = detail::wants_channels_last(x.layout()) || detail::wants_channels_last(weight.layout());
  // A convolution of this stride leaves out fewer than `stride` trailing elements. If more are requested, which only
  // dilation allows, x is extended with zeros.
  const std::int64_t below = options.output_padding.height / options.stride.height,
                     right = options.output_padding.width / options.stride.width;
  const Tensor y = conv2d_input_gradient(
      pad(x, {0, right, 0, below}), weight, detail::image_layout(shape, last),
      {.stride = options.stride, .padding = options.padding, .dilation = options.dilation, .groups = options.groups});
  return bias.defined() ? y + reshape(detail::as_input(bias).to(x.dtype()), {outputs, 1, 1}) : y;
}

}  // namespace

Tensor conv_transpose2d(const Tensor& x, const Tensor& weight, const Tensor& bias,
                        const ConvTranspose2dOptions& options) {
  return detail::with_batch(x, 4,
                            [&](const Tensor& batch) { return convolved_transposed(batch, weight, bias, options); });
}

}  // namespace minima
