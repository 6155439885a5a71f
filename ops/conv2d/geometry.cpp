#include <minima/ops/conv2d/geometry.h>

#include <minima/ops/conv2d/conv2d.h>
#include <minima/ops/core/pair.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/layout/checked.h>

#include <cstdint>
#include <limits>
#include <string>

namespace minima::detail {

namespace {

std::string text(Pair pair) { return str("[", pair.height, ", ", pair.width, "]"); }

/// oneDNN and cuDNN take no larger numbers.
void expect_between(std::int64_t least, std::int64_t most, const char* what, Pair pair) {
  if (pair.height < least || pair.width < least)
    throw ValueError(str("conv2d: ", what, " must be at least ", least, ", got ", text(pair)));
  if (pair.height > most || pair.width > most)
    throw ValueError(str("conv2d: ", what, " must be at most ", most, ", got ", text(pair)));
}

}  // namespace

ConvGeometry conv_geometry(const Shape& x, const Shape& weight, const Conv2dOptions& o) {
  if (x.rank() != 4) throw ShapeError(str("conv2d: x must be [N, C, H, W] or [C, H, W], got ", x));
  if (weight.rank() != 4) throw ShapeError(str("conv2d: weight must be [O, C / groups, kH, kW], got ", weight));
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  expect_between(1, most, "stride", o.stride);
  expect_between(0, most, "padding", o.padding);
  expect_between(1, most, "dilation", o.dilation);
  if (o.groups < 1) throw ValueError(str("conv2d: groups must be at least 1, got ", o.groups));
  if (x[1] % o.groups || weight[0] % o.groups)
    throw ShapeError(str("conv2d: ", o.groups, " groups do not divide the ", x[1], " channels of x ", x, " and the ",
                         weight[0], " outputs of weight ", weight));
  if (x[1] / o.groups != weight[1])
    throw ShapeError(
        str("conv2d: x ", x, " has ", x[1], " channels", o.groups > 1 ? str(" in ", o.groups, " groups") : "",
            ", but weight ", weight, " takes ", weight[1], o.groups > 1 ? " per group" : "",
            x[3] % o.groups == 0 && x[3] / o.groups == weight[1] ? "; is x in NHWC order? permute it to [N, C, H, W]"
                                                                 : ""));
  if (weight[2] < 1 || weight[3] < 1) throw ShapeError(str("conv2d: the kernel of weight ", weight, " is empty"));
  const ConvGeometry geometry{
      .batch = x[0],
      .channels = x[1],
      .height = x[2],
      .width = x[3],
      .outputs = weight[0],
      .out_height = window_count(x[2], weight[2], o.stride.height, o.padding.height, o.dilation.height, "conv2d"),
      .out_width = window_count(x[3], weight[3], o.stride.width, o.padding.width, o.dilation.width, "conv2d"),
      .kernel_height = weight[2],
      .kernel_width = weight[3],
      .options = o};
  if (geometry.out_height < 1 || geometry.out_width < 1)
    throw ShapeError(str("conv2d: the kernel of weight ", weight, o.dilation == Pair(1) ? "" : " with dilation ",
                         o.dilation == Pair(1) ? "" : text(o.dilation), " is larger than x ", x, " with padding ",
                         text(o.padding)));
  return geometry;
}

}  // namespace minima::detail
