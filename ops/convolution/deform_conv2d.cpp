#include <minima/ops/convolution/deform_conv2d.h>

#include <minima/ops/core/op_support.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/image/grid_sample.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/pad.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/checked.h>

#include <bit>
#include <cstdint>

namespace minima {

namespace {

constexpr const char* op = "deform_conv2d";

std::int64_t positions(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                       std::int64_t dilation) {
  if (stride < 1 || dilation < 1 || padding < 0)
    throw ValueError(str(op, ": stride and dilation must be at least 1 and padding at least 0, got ", stride, ", ",
                         dilation, " and ", padding));
  return detail::window_count(size, kernel, stride, padding, dilation, op);
}

void expect(bool is_right, const char* what, const Tensor& got) {
  if (!is_right) throw ShapeError(str(op, ": ", what, ", got ", got));
}

/// The next power of two: coordinates of whole elements in such an image are exact, so that its gradient there is the
/// one from the right, as in torchvision.
std::int64_t rounded_up(std::int64_t size) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(size)));
}

}  // namespace

Tensor deform_conv2d(const Tensor& given_x, const Tensor& given_offset, const Tensor& given_weight,
                     const Tensor& given_bias, const DeformConv2dOptions& options) {
  detail::check_defined(op, given_x);
  detail::check_defined(op, given_offset, 1);
  detail::check_defined(op, given_weight, 2);
  const DType dtype = given_x.dtype();
  for (const Tensor& each : {given_x, given_offset, given_weight, given_bias, options.mask})
    if (each.defined() && (!is_floating(each.dtype()) || each.dtype() != dtype))
      throw DTypeError(str(op, ": needs one floating dtype, got ", each, " beside x ", given_x, "; convert with to()"));
  const auto in_full = [&](const Tensor& each) {
    return each.defined() && is_half(dtype) ? each.to(DType::float32) : each;
  };
  const Tensor x = in_full(given_x), offset = in_full(given_offset), weight = in_full(given_weight),
               bias = in_full(given_bias), mask = in_full(options.mask);
  expect(x.rank() == 4 && x.size(2) > 0 && x.size(3) > 0, "x must be [N, C, H, W]", given_x);
  expect(weight.rank() == 4 && weight.numel() > 0, "the weight must be [O, C / G, kH, kW]", given_weight);
  const std::int64_t count = x.size(0), channels = x.size(1), out = weight.size(0),
                     taps = weight.size(2) * weight.size(3);
  expect(channels % weight.size(1) == 0 && channels > 0 && out % (channels / weight.size(1)) == 0,
         "the weight's channels must divide those of x, and the groups its outputs", given_weight);
  const std::int64_t height =
      positions(x.size(2), weight.size(2), options.stride.height, options.padding.height, options.dilation.height);
  const std::int64_t width =
      positions(x.size(3), weight.size(3), options.stride.width, options.padding.width, options.dilation.width);
  expect(height > 0 && width > 0, "the kernel must fit in x with its padding", given_x);
  expect(offset.rank() == 4 && offset.size(0) == count && offset.size(1) > 0 && offset.size(1) % (2 * taps) == 0 &&
             channels % (offset.size(1) / (2 * taps)) == 0 && offset.size(2) == height && offset.size(3) == width,
         "the offsets must be [N, 2 · D · kH · kW, H', W'] with D groups of channels", given_offset);
  const std::int64_t parts = offset.size(1) / (2 * taps);
  expect(!mask.defined() || mask.shape() == Shape({count, parts * taps, height, width}),
         "the mask must be [N, D · kH · kW, H', W']", options.mask);
  expect(!bias.defined() || bias.shape() == Shape({out}), "the bias must be [O]", given_bias);

  // Where each tap of each position samples x, in elements: [N · D, taps, H', W'].
  const auto line = [&](std::int64_t size, std::int64_t step, std::int64_t from, const Shape& shape) {
    return reshape(arange(size, {.dtype = x.dtype(), .device = x.device()}) * step - from, shape);
  };
  const Tensor moves = reshape(offset, {count * parts, taps, 2, height, width});
  const Tensor rows =
      reshape(line(weight.size(2), options.dilation.height, 0, {-1, 1}) + line(weight.size(3), 0, 0, {1, -1}),
              {taps, 1, 1}) +
      line(height, options.stride.height, options.padding.height, {1, height, 1});
  const Tensor columns =
      reshape(line(weight.size(2), 0, 0, {-1, 1}) + line(weight.size(3), options.dilation.width, 0, {1, -1}),
              {taps, 1, 1}) +
      line(width, options.stride.width, options.padding.width, {1, 1, width});
  const std::int64_t high = rounded_up(x.size(2)), wide = rounded_up(x.size(3));
  const auto scaled = [](const Tensor& at, std::int64_t size) { return (at * 2 + 1) / static_cast<double>(size) - 1; };
  const Tensor grid = stack({scaled(columns + select(moves, 2, 1), wide), scaled(rows + select(moves, 2, 0), high)}, 4);
  const Tensor padded = pad(x, {0, wide - x.size(3), 0, high - x.size(2)});
  const Tensor samples = grid_sample(reshape(padded, {count * parts, channels / parts, high, wide}),
                                     reshape(grid, {count * parts, taps * height, width, 2}));
  Tensor patches = reshape(samples, {count, parts, channels / parts, taps, height * width});
  if (mask.defined()) patches = patches * reshape(mask, {count, parts, 1, taps, height * width});
  const std::int64_t groups = channels / weight.size(1);
  const Tensor y = matmul(reshape(weight, {groups, out / groups, weight.size(1) * taps}),
                          reshape(patches, {count, groups, weight.size(1) * taps, height * width}));
  const Tensor images = reshape(y, {count, out, height, width});
  const Tensor result = bias.defined() ? images + reshape(bias, {out, 1, 1}) : images;
  return result.to(dtype);
}

}  // namespace minima
