#pragma once

#include <minima/ops/conv2d/conv2d.h>

namespace minima::detail {

/// The sizes of a convolution.
struct ConvGeometry {
  std::int64_t batch = 0, channels = 0, height = 0, width = 0;  ///< of the input
  std::int64_t outputs = 0, out_height = 0, out_width = 0;      ///< of the result
  std::int64_t kernel_height = 0, kernel_width = 0;
  Conv2dOptions options;

  std::int64_t group_channels() const { return channels / options.groups; }
  std::int64_t group_outputs() const { return outputs / options.groups; }
  std::int64_t positions() const { return out_height * out_width; }
  /// The number of products that an output element sums.
  std::int64_t terms() const { return group_channels() * kernel_height * kernel_width; }
  double flops() const {
    return 2.0 * static_cast<double>(batch * outputs) * static_cast<double>(positions()) * static_cast<double>(terms());
  }
  /// Every output position sees exactly one input position: a 1×1 convolution without stride or padding.
  bool is_pointwise() const {
    return kernel_height == 1 && kernel_width == 1 && options.stride == Pair(1) && options.padding == Pair(0);
  }
  Shape input() const { return {batch, channels, height, width}; }
  Shape weight() const { return {outputs, group_channels(), kernel_height, kernel_width}; }
  Shape output() const { return {batch, outputs, out_height, out_width}; }
};

/// Checks shapes and options; throws ShapeError and ValueError that begin with `conv2d: `.
ConvGeometry conv_geometry(const Shape& x, const Shape& weight, const Conv2dOptions& options);

}  // namespace minima::detail
