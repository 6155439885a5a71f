#include <minima/ops/convolution/geometry.h>

#include <minima/ops/convolution/conv.h>
#include <minima/ops/core/operator_call.h>
#include <minima/ops/core/triple.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace minima::detail {

namespace {

/// Checks and messages of one convolution.
struct Check {
  const char* op;
  int spatial;

  std::string text(Triple t) const {
    return spatial == 2 ? str("[", t.height, ", ", t.width, "]")
                        : str("[", t.depth, ", ", t.height, ", ", t.width, "]");
  }
  /// oneDNN and cuDNN take no larger numbers.
  void expect_between(std::int64_t least, std::int64_t most, const char* what, Triple t) const {
    if (std::min({t.depth, t.height, t.width}) < least)
      throw ValueError(str(op, ": ", what, " must be at least ", least, ", got ", text(t)));
    if (std::max({t.depth, t.height, t.width}) > most)
      throw ValueError(str(op, ": ", what, " must be at most ", most, ", got ", text(t)));
  }
};

/// The spatial sizes of a shape.
Triple sizes_of(const Shape& s) { return s.rank() == 4 ? Triple(1, s[2], s[3]) : Triple(s[2], s[3], s[4]); }

}  // namespace

void describe_convolution(const ConvOptions& options, AttributeVisitor& visitor) {
  const auto add = [&](const char* name, Triple t) {
    visitor.integers(name, options.spatial == 2 ? Shape{t.height, t.width} : Shape{t.depth, t.height, t.width});
  };
  add("stride", options.stride);
  add("padding", options.padding);
  add("dilation", options.dilation);
  visitor.integer("groups", options.groups);
}

ConvOptions conv_options(const Conv2dOptions& o) {
  return {.stride = {1, o.stride.height, o.stride.width},
          .padding = {0, o.padding.height, o.padding.width},
          .dilation = {1, o.dilation.height, o.dilation.width},
          .groups = o.groups,
          .spatial = 2};
}

ConvGeometry conv_geometry(const Shape& x, const Shape& weight, const ConvOptions& o) {
  const bool flat = o.spatial == 2;
  const Check check{flat ? "conv2d" : "conv3d", o.spatial};
  const char* const op = check.op;
  if (x.rank() != o.spatial + 2)
    throw ShapeError(
        str(op, ": x must be ", flat ? "[N, C, H, W] or [C, H, W]" : "[N, C, D, H, W] or [C, D, H, W]", ", got ", x));
  if (weight.rank() != o.spatial + 2)
    throw ShapeError(str(op, ": weight must be [O, C / groups, ", flat ? "kH, kW]" : "kD, kH, kW]", ", got ", weight));
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  check.expect_between(1, most, "stride", o.stride);
  check.expect_between(0, most, "padding", o.padding);
  check.expect_between(1, most, "dilation", o.dilation);
  if (o.groups < 1) throw ValueError(str(op, ": groups must be at least 1, got ", o.groups));
  if (x[1] % o.groups || weight[0] % o.groups)
    throw ShapeError(str(op, ": ", o.groups, " groups do not divide the ", x[1], " channels of x ", x, " and the ",
                         weight[0], " outputs of weight ", weight));
  const std::int64_t last = x[x.rank() - 1];
  if (x[1] / o.groups != weight[1])
    throw ShapeError(str(op, ": x ", x, " has ", x[1], " channels",
                         o.groups > 1 ? str(" in ", o.groups, " groups") : "", ", but weight ", weight, " takes ",
                         weight[1], o.groups > 1 ? " per group" : "",
                         last % o.groups || last / o.groups != weight[1] ? ""
                         : flat ? "; is x in NHWC order? permute it to [N, C, H, W]"
                                : "; is x in NDHWC order? permute it to [N, C, D, H, W]"));
  const Triple size = sizes_of(x), kernel = sizes_of(weight);
  if (std::min({kernel.depth, kernel.height, kernel.width}) < 1)
    throw ShapeError(str(op, ": the kernel of weight ", weight, " is empty"));
  const auto count = [&](std::int64_t Triple::* d) {
    return window_count(size.*d, kernel.*d, o.stride.*d, o.padding.*d, o.dilation.*d, op);
  };
  const ConvGeometry geometry{.batch = x[0],
                              .channels = x[1],
                              .outputs = weight[0],
                              .size = size,
                              .out = {count(&Triple::depth), count(&Triple::height), count(&Triple::width)},
                              .kernel = kernel,
                              .options = o};
  if (std::min({geometry.out.depth, geometry.out.height, geometry.out.width}) < 1)
    throw ShapeError(str(op, ": the kernel of weight ", weight, o.dilation == Triple(1) ? "" : " with dilation ",
                         o.dilation == Triple(1) ? "" : check.text(o.dilation), " is larger than x ", x,
                         " with padding ", check.text(o.padding)));
  return geometry;
}

}  // namespace minima::detail
