#include <minima/ops/convolution/conv_transpose.h>

#include <minima/ops/convolution/conv.h>
#include <minima/ops/convolution/convolution.h>
#include <minima/ops/convolution/geometry.h>
#include <minima/ops/convolution/images.h>
#include <minima/ops/core/triple.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/pad.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

namespace minima {

namespace {

using detail::ConvOptions;

struct TransposedAxis {
  std::int64_t size, kernel, stride, padding, output_padding, dilation;
};

std::int64_t result_size(const char* op, const TransposedAxis& a, const Tensor& x) {
  if (a.stride < 1 || a.dilation < 1 || a.padding < 0)
    throw ValueError(str(op, ": stride and dilation must be positive and padding not negative, got ", a.stride, ", ",
                         a.dilation, " and ", a.padding));
  if (a.output_padding < 0 || (a.output_padding >= a.stride && a.output_padding >= a.dilation))
    throw ValueError(str(op, ": output_padding must be below stride or dilation, got ", a.output_padding));
  using detail::Wide;
  const std::int64_t size = detail::fit(
      Wide{a.size - 1} * a.stride - 2 * Wide{a.padding} + Wide{a.dilation} * (a.kernel - 1) + a.output_padding + 1, op);
  if (size < 1) throw ShapeError(str(op, ": the result of x ", x, " would have size ", size, "; use less padding"));
  return size;
}

Tensor convolved_transposed(const Tensor& input, const Tensor& kernel, const Tensor& bias, const ConvOptions& options,
                            Triple output_padding) {
  const bool flat = options.spatial == 2;
  const char* const op = flat ? "conv_transpose2d" : "conv_transpose3d";
  detail::check_defined(op, input);
  detail::check_defined(op, kernel, 1);
  const Tensor x = detail::autocast(Cast::to_lower, input), weight = detail::autocast(Cast::to_lower, kernel);
  const detail::WithoutAutocast guard;
  const int rank = options.spatial + 2;
  if (x.rank() != rank || weight.rank() != rank || options.groups < 1 || x.shape()[1] != weight.shape()[0] ||
      x.shape()[1] % options.groups != 0)
    throw ShapeError(str(op,
                         flat ? ": needs x [N, C, H, W] or [C, H, W] and weight [C, O / groups, kH, kW]"
                              : ": needs x [N, C, D, H, W] or [C, D, H, W] and weight [C, O / groups, kD, kH, kW]",
                         " with groups that divide C, got ", x.shape(), " and ", weight.shape(), " with ",
                         options.groups, " groups"));
  if (!is_floating(x.dtype()) || x.dtype() != weight.dtype())
    throw DTypeError(str(op, ": needs one floating dtype, got ", x, " and ", weight, "; convert one with to()"));
  for (int d = 2; d < rank; ++d)
    if (weight.shape()[d] < 1) throw ShapeError(str(op, ": the kernel of weight ", weight.shape(), " is empty"));
  const std::int64_t outputs = detail::fit(detail::Wide{weight.shape()[1]} * options.groups, op);
  if (bias.defined() && bias.shape() != Shape{outputs})
    throw ShapeError(str(op, ": bias must be [", outputs, "] for weight ", weight.shape(), ", got ", bias.shape()));

  constexpr std::int64_t Triple::* axes[] = {&Triple::depth, &Triple::height, &Triple::width};
  Shape shape{x.shape()[0], outputs}, missing = Shape::filled(2 * options.spatial, 0), per_channel{outputs};
  for (int d = 2; d < rank; ++d) {
    const auto of = [axis = axes[d - rank + 3]](const Triple& t) { return t.*axis; };
    shape.push_back(result_size(op,
                                {x.shape()[d], weight.shape()[d], of(options.stride), of(options.padding),
                                 of(output_padding), of(options.dilation)},
                                x));
    // A convolution of this stride leaves out fewer than `stride` trailing elements. If more are requested, which only
    // dilation allows, x is extended with zeros.
    missing[2 * (rank - 1 - d) + 1] = of(output_padding) / of(options.stride);
    per_channel.push_back(1);
  }
  // As conv2d's.
  const bool last =
      x.device().is_cpu() || detail::wants_channels_last(x.layout()) || detail::wants_channels_last(weight.layout());
  const Tensor y =
      detail::convolution_input_gradient(pad(x, missing), weight, detail::image_layout(shape, last), options);
  return bias.defined() ? y + reshape(detail::as_input(bias).to(x.dtype()), per_channel) : y;
}

}  // namespace

namespace detail {

Tensor transposed_convolution(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvOptions& options,
                              Triple output_padding) {
  return with_batch(x, options.spatial + 2, [&](const Tensor& batch) {
    return convolved_transposed(batch, weight, bias, options, output_padding);
  });
}

}  // namespace detail

Tensor conv_transpose2d(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvTranspose2dOptions& o) {
  return detail::transposed_convolution(
      x, weight, bias,
      detail::conv_options(
          Conv2dOptions{.stride = o.stride, .padding = o.padding, .dilation = o.dilation, .groups = o.groups}),
      {0, o.output_padding.height, o.output_padding.width});
}

Tensor conv_transpose3d(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvTranspose3dOptions& o) {
  return detail::transposed_convolution(
      x, weight, bias, {.stride = o.stride, .padding = o.padding, .dilation = o.dilation, .groups = o.groups},
      o.output_padding);
}

}  // namespace minima
