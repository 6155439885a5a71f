#include <minima/ops/convolution/conv.h>

#include <minima/ops/convolution/conv_transpose.h>
#include <minima/ops/convolution/images.h>
#include <minima/ops/op.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <cstdint>

namespace minima {

namespace {

/// Checks everything but the sizes here, because conv2d's errors would show shapes that the caller never passed.
/// `weight_in` and `weight_out` are the dimensions of weight that match x's channels and the result's.
template <class Options>
void check(const char* op, const Tensor& x, const Tensor& weight, const Tensor& bias, const Options& o, int weight_in,
           int weight_out) {
  detail::check_defined(op, x);
  detail::check_defined(op, weight, 1);
  if (x.rank() != 3) throw ShapeError(str(op, ": x must be [N, C, L] or [C, L], got ", x));
  if (weight.rank() != 3) throw ShapeError(str(op, ": weight must have 3 dimensions, got ", weight));
  const bool mixes = detail::mode().autocast != nullptr;  // which casts them to one dtype
  if (!is_floating(x.dtype()) || !is_floating(weight.dtype()) || (!mixes && x.dtype() != weight.dtype()))
    throw DTypeError(
        str(op, ": needs one floating dtype, got x ", x, " and weight ", weight, "; convert one with to()"));
  if (o.groups < 1) throw ValueError(str(op, ": groups must be at least 1, got ", o.groups));
  const std::int64_t channels = x.shape()[1], in = weight.shape()[weight_in], out = weight.shape()[weight_out];
  const bool fits = weight_in == 1 ? channels % o.groups == 0 && channels / o.groups == in && out % o.groups == 0
                                   : in == channels && in % o.groups == 0;
  if (!fits)
    throw ShapeError(str(op, ": x ", x, " has ", channels, " channels, which do not match weight ", weight, " with ",
                         o.groups, " groups"));
  if (weight.shape()[2] < 1) throw ShapeError(str(op, ": the kernel of weight ", weight, " is empty"));
  const std::int64_t outputs = weight_out == 0 ? out : detail::fit(detail::Wide{out} * o.groups, op);
  if (bias.defined() && bias.shape() != Shape{outputs})
    throw ShapeError(str(op, ": bias must be [", outputs, "] for weight ", weight, ", got ", bias));
  if (o.stride < 1 || o.dilation < 1 || o.padding < 0)
    throw ValueError(str(op, ": stride and dilation must be positive and padding not negative, got ", o.stride, ", ",
                         o.dilation, " and ", o.padding));
}

void check_room(const char* op, detail::Wide room, const Tensor& x, const Tensor& weight, std::int64_t padding) {
  if (room < 1)
    throw ShapeError(
        str(op, ": the result of x ", x, " and weight ", weight, " with padding ", padding, " would be empty"));
  detail::fit(room, op);
}

Tensor convolved(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv1dOptions& options) {
  check("conv1d", x, weight, bias, options, 1, 0);
  check_room("conv1d",
             detail::window_count(x.shape()[2], weight.shape()[2], options.stride, options.padding, options.dilation,
                                  "conv1d"),
             x, weight, options.padding);
  return squeeze(conv2d(unsqueeze(x, 2), unsqueeze(weight, 2), bias,
                        {.stride = {1, options.stride},
                         .padding = {0, options.padding},
                         .dilation = {1, options.dilation},
                         .groups = options.groups}),
                 2);
}

Tensor convolved_transposed(const Tensor& x, const Tensor& weight, const Tensor& bias,
                            const ConvTranspose1dOptions& options) {
  check("conv_transpose1d", x, weight, bias, options, 0, 1);
  if (options.output_padding < 0 ||
      (options.output_padding >= options.stride && options.output_padding >= options.dilation))
    throw ValueError(
        str("conv_transpose1d: output_padding must be below stride or dilation, got ", options.output_padding));
  using detail::Wide;
  check_room("conv_transpose1d",
             Wide{x.shape()[2] - 1} * options.stride - 2 * Wide{options.padding} +
                 Wide{options.dilation} * (weight.shape()[2] - 1) + options.output_padding + 1,
             x, weight, options.padding);
  return squeeze(conv_transpose2d(unsqueeze(x, 2), unsqueeze(weight, 2), bias,
                                  {.stride = {1, options.stride},
                                   .padding = {0, options.padding},
                                   .output_padding = {0, options.output_padding},
                                   .dilation = {1, options.dilation},
                                   .groups = options.groups}),
                 2);
}

}  // namespace

Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv1dOptions& options) {
  return detail::with_batch(x, 3, [&](const Tensor& batch) { return convolved(batch, weight, bias, options); });
}

Tensor conv_transpose1d(const Tensor& x, const Tensor& weight, const Tensor& bias,
                        const ConvTranspose1dOptions& options) {
  return detail::with_batch(x, 3,
                            [&](const Tensor& batch) { return convolved_transposed(batch, weight, bias, options); });
}

}  // namespace minima
