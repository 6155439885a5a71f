#include <minima/ops/convolution/images.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/triple.h>
#include <minima/ops/index/select.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/rounding.h>
#include <minima/ops/pooling/avg_pool.h>
#include <minima/ops/pooling/max_pool.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <cstdint>

namespace minima {

namespace {

struct WindowAxis {
  std::int64_t kernel, stride, padding, dilation;
};

void check_volume(const char* op, const Tensor& x) {
  detail::check_defined(op, x);
  if (!is_floating(x.dtype()))
    throw DTypeError(str(op, ": needs a floating tensor, got ", x, "; convert it with to()"));
  if (x.rank() != 5) throw ShapeError(str(op, ": x must be [N, C, D, H, W] or [C, D, H, W], got ", x));
}

/// Checks the windows here, because errors of the 2-D pooling would show its own shape.
void check_axis(const char* op, const Tensor& x, int dim, const WindowAxis& a) {
  if (a.kernel < 1 || a.stride < 1 || a.dilation < 1)
    throw ValueError(str(op, ": kernel, stride and dilation must be at least 1, got ", a.kernel, ", ", a.stride,
                         " and ", a.dilation));
  const std::int64_t extent = detail::fit(detail::Wide{a.dilation} * (a.kernel - 1) + 1, op);
  if (a.padding < 0 || a.padding > extent / 2)
    throw ValueError(str(op, ": padding must be between 0 and half the kernel, got padding ", a.padding,
                         " for a kernel that spans ", extent));
  if (detail::Wide{x.shape()[dim]} + 2 * detail::Wide{a.padding} < extent)
    throw ShapeError(str(op, ": a kernel that spans ", extent, " is larger than dimension ", dim - 5, " of x ", x,
                         " with padding ", a.padding));
}

template <class Options>
void check_windows(const char* op, const Tensor& x, const Options& o, Triple dilation) {
  check_volume(op, x);
  const Triple &k = o.kernel, &s = o.stride, &p = o.padding;
  check_axis(op, x, 2, {k.depth, s.depth, p.depth, dilation.depth});
  check_axis(op, x, 3, {k.height, s.height, p.height, dilation.height});
  check_axis(op, x, 4, {k.width, s.width, p.width, dilation.width});
}

/// The planes of volumes as images, in x's memory order.
Tensor as_planes(const Tensor& x) {
  const Shape& s = x.shape();
  if (detail::wants_channels_last(x.layout()))
    return reshape(permute(x, {0, 2, 1, 3, 4}), {s[0] * s[2], s[1], s[3], s[4]});
  return reshape(x, {s[0], s[1] * s[2], s[3], s[4]});
}

/// The inverse: volumes with the planes of `images`, the last two dimensions merged: [N, C, D, H · W].
Tensor with_depth(const Tensor& images, const Tensor& x) {
  const Shape &s = x.shape(), &i = images.shape();
  if (detail::wants_channels_last(x.layout()))
    return reshape(permute(reshape(images, {s[0], s[2], s[1], i[2], i[3]}), {0, 2, 1, 3, 4}),
                   {s[0], s[1], s[2], i[2] * i[3]});
  return reshape(images, {s[0], s[1], s[2], i[2] * i[3]});
}

Tensor with_planes(const Tensor& y, std::int64_t height, std::int64_t width) {
  const Shape& s = y.shape();
  return reshape(y, {s[0], s[1], s[2], height, width});
}

MaxPool2dOptions plane_options(const MaxPool3dOptions& o) {
  return {.kernel = {o.kernel.height, o.kernel.width},
          .stride = {o.stride.height, o.stride.width},
          .padding = {o.padding.height, o.padding.width},
          .dilation = {o.dilation.height, o.dilation.width},
          .ceil_mode = o.ceil_mode};
}

MaxPool2dOptions depth_options(const MaxPool3dOptions& o) {
  return {.kernel = {o.kernel.depth, 1},
          .stride = {o.stride.depth, 1},
          .padding = {o.padding.depth, 0},
          .dilation = {o.dilation.depth, 1},
          .ceil_mode = o.ceil_mode};
}

/// A window's maximum is the largest of its planes' maxima, the first of them if several are equal.
Tensor largest(const Tensor& x, const MaxPool3dOptions& options) {
  check_windows("max_pool3d", x, options, options.dilation);
  const Tensor planes = max_pool2d(as_planes(x), plane_options(options));
  return with_planes(max_pool2d(with_depth(planes, x), depth_options(options)), planes.size(2), planes.size(3));
}

ValuesAndIndices largest_with_indices(const Tensor& x, const MaxPool3dOptions& options) {
  check_windows("max_pool3d_with_indices", x, options, options.dilation);
  const ValuesAndIndices planes = max_pool2d_with_indices(as_planes(x), plane_options(options));
  const std::int64_t height = planes.values.size(2), width = planes.values.size(3);
  const ValuesAndIndices depth = max_pool2d_with_indices(with_depth(planes.values, x), depth_options(options));
  // An index along the depth counts planes of results; the position within that plane is the plane's own index.
  const Tensor at = flatten(depth.indices, 2);
  const Tensor within = gather(flatten(with_depth(planes.indices, x), 2), 2, at);
  const Tensor indices = floor_divide(at, height * width) * (x.size(3) * x.size(4)) + within;
  return {with_planes(depth.values, height, width), with_planes(reshape(indices, depth.values.shape()), height, width)};
}

/// Half types stay in float32 between the two passes.
template <class F>
Tensor in_full_precision(const Tensor& x, F&& f) {
  return is_half(x.dtype()) ? cast(f(cast(x, DType::float32)), x.dtype()) : f(x);
}

Tensor averaged(const Tensor& input, const AvgPool3dOptions& o) {
  check_windows("avg_pool3d", input, o, 1);
  if (o.divisor < 0) throw ValueError(str("avg_pool3d: divisor must not be negative, got ", o.divisor));
  return in_full_precision(input, [&](const Tensor& x) {
    const Tensor planes = avg_pool2d(as_planes(x), {.kernel = {o.kernel.height, o.kernel.width},
                                                    .stride = {o.stride.height, o.stride.width},
                                                    .padding = {o.padding.height, o.padding.width},
                                                    .ceil_mode = o.ceil_mode,
                                                    .count_include_pad = o.count_include_pad,
                                                    .divisor = o.divisor != 0 ? 1 : 0});
    return with_planes(avg_pool2d(with_depth(planes, x), {.kernel = {o.kernel.depth, 1},
                                                          .stride = {o.stride.depth, 1},
                                                          .padding = {o.padding.depth, 0},
                                                          .ceil_mode = o.ceil_mode,
                                                          .count_include_pad = o.count_include_pad,
                                                          .divisor = o.divisor}),
                       planes.size(2), planes.size(3));
  });
}

void check_size(const char* op, Triple size) {
  if (std::min({size.depth, size.height, size.width}) < 1)
    throw ValueError(str(op, ": size must be at least 1, got [", size.depth, ", ", size.height, ", ", size.width, "]"));
}

Tensor averaged_parts(const Tensor& input, Triple size) {
  constexpr const char* op = "adaptive_avg_pool3d";
  check_volume(op, input);
  check_size(op, size);
  for (int d = 2; d < 5; ++d)
    if (input.shape()[d] == 0) throw ShapeError(str(op, ": the volumes of x ", input.shape(), " are empty"));
  detail::checked_numel({input.size(0), input.size(1), size.depth, size.height, size.width}, op);
  return in_full_precision(input, [&](const Tensor& x) {
    const Tensor planes = adaptive_avg_pool2d(as_planes(x), {size.height, size.width});
    return with_planes(adaptive_avg_pool2d(with_depth(planes, x), {size.depth, size.height * size.width}), size.height,
                       size.width);
  });
}

}  // namespace

Tensor max_pool3d(const Tensor& x, const MaxPool3dOptions& options) {
  return detail::with_batch(x, 5, [&](const Tensor& batch) { return largest(batch, options); });
}

ValuesAndIndices max_pool3d_with_indices(const Tensor& x, const MaxPool3dOptions& options) {
  return detail::with_batch(x, 5, [&](const Tensor& batch) { return largest_with_indices(batch, options); });
}

Tensor avg_pool3d(const Tensor& x, const AvgPool3dOptions& options) {
  return detail::with_batch(x, 5, [&](const Tensor& batch) { return averaged(batch, options); });
}

Tensor adaptive_avg_pool3d(const Tensor& x, Triple size) {
  return detail::with_batch(x, 5, [&](const Tensor& batch) { return averaged_parts(batch, size); });
}

}  // namespace minima
