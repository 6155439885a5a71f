#pragma once

#include <minima/ops/core/triple.h>
#include <minima/tensor/base/shape.h>

namespace minima {
struct Conv2dOptions;
}

namespace minima::detail {

/// Options of a convolution of two or three spatial dimensions.
struct ConvOptions {
  Triple stride = 1, padding = 0, dilation = 1;
  std::int64_t groups = 1;
  int spatial = 3;  ///< 2 or 3 dimensions
};
ConvOptions conv_options(const Conv2dOptions& options);
class AttributeVisitor;
void describe_convolution(const ConvOptions& options, AttributeVisitor& visitor);

/// The sizes of a convolution of images or volumes. An image is a volume of depth 1, whose tensors lack that dimension.
struct ConvGeometry {
  std::int64_t batch = 0, channels = 0, outputs = 0;
  Triple size = 0;    ///< of the input
  Triple out = 0;     ///< of the result
  Triple kernel = 0;  ///< of the weight
  ConvOptions options;

  std::int64_t group_channels() const { return channels / options.groups; }
  std::int64_t group_outputs() const { return outputs / options.groups; }
  /// Elements of one channel of the input and of the result.
  std::int64_t pixels() const { return size.depth * size.height * size.width; }
  std::int64_t positions() const { return out_rows() * out.width; }
  /// Rows of one channel of the result.
  std::int64_t out_rows() const { return out.depth * out.height; }
  /// The number of products that an output element sums.
  std::int64_t terms() const { return group_channels() * kernel_elements(); }
  std::int64_t kernel_elements() const { return kernel.depth * kernel.height * kernel.width; }
  double flops() const {
    return 2.0 * static_cast<double>(batch * outputs) * static_cast<double>(positions()) * static_cast<double>(terms());
  }
  /// Every output position sees exactly one input position: a 1×1 convolution without stride or padding.
  bool is_pointwise() const {
    return kernel == Triple(1) && options.stride == Triple(1) && options.padding == Triple(0);
  }
  Shape input() const { return shape(batch, channels, size); }
  Shape weight() const { return shape(outputs, group_channels(), kernel); }
  Shape output() const { return shape(batch, outputs, out); }

 private:
  Shape shape(std::int64_t first, std::int64_t second, Triple sizes) const {
    if (options.spatial == 2) return {first, second, sizes.height, sizes.width};
    return {first, second, sizes.depth, sizes.height, sizes.width};
  }
};

/// Checks shapes and options; throws ShapeError and ValueError that begin with the operator's name.
ConvGeometry conv_geometry(const Shape& x, const Shape& weight, const ConvOptions& options);

}  // namespace minima::detail
