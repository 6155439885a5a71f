#include <minima/ops/pool1d/pool1d.h>

#include <minima/ops/avg_pool2d/avg_pool2d.h>
#include <minima/ops/images/unbatched.h>
#include <minima/ops/max_pool2d/max_pool2d.h>
#include <minima/ops/op.h>
#include <minima/ops/pool1d/adaptive_windows.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <cstdint>

namespace minima {

namespace {

void check_sequence(const char* op, const Tensor& x) {
  detail::check_defined(op, x);
  if (!is_floating(x.dtype()))
    throw DTypeError(str(op, ": needs a floating tensor, got ", x, "; convert it with to()"));
  if (x.rank() != 3) throw ShapeError(str(op, ": x must be [N, C, L] or [C, L], got ", x));
}

/// The sequence as an image of height 1. Checks the sizes here, because errors of the 2-D pooling would show its own
/// shape.
Tensor as_image(const char* op, const Tensor& x, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                std::int64_t dilation) {
  check_sequence(op, x);
  if (kernel < 1 || stride < 1 || dilation < 1)
    throw ValueError(
        str(op, ": kernel, stride and dilation must be at least 1, got ", kernel, ", ", stride, " and ", dilation));
  const std::int64_t extent = detail::fit(detail::Wide{dilation} * (kernel - 1) + 1, op);
  if (padding < 0 || padding > extent / 2)
    throw ValueError(str(op, ": padding must be between 0 and half the kernel, got padding ", padding,
                         " for a kernel that spans ", extent));
  if (detail::Wide{x.shape()[2]} + 2 * detail::Wide{padding} < extent)
    throw ShapeError(
        str(op, ": a kernel that spans ", extent, " is larger than the sequences of x ", x, " with padding ", padding));
  return unsqueeze(x, 2);
}

Tensor as_image(const char* op, const Tensor& x, const MaxPool1dOptions& o) {
  return as_image(op, x, o.kernel, o.stride, o.padding, o.dilation);
}

MaxPool2dOptions as_2d(const MaxPool1dOptions& o) {
  return {.kernel = {1, o.kernel},
          .stride = {1, o.stride},
          .padding = {0, o.padding},
          .dilation = {1, o.dilation},
          .ceil_mode = o.ceil_mode};
}

}  // namespace

Tensor max_pool1d(const Tensor& x, const MaxPool1dOptions& options) {
  return detail::with_batch(x, 3, [&](const Tensor& batch) {
    return squeeze(max_pool2d(as_image("max_pool1d", batch, options), as_2d(options)), 2);
  });
}

ValuesAndIndices max_pool1d_with_indices(const Tensor& x, const MaxPool1dOptions& options) {
  return detail::with_batch(x, 3, [&](const Tensor& batch) {
    const ValuesAndIndices y =
        max_pool2d_with_indices(as_image("max_pool1d_with_indices", batch, options), as_2d(options));
    return ValuesAndIndices{squeeze(y.values, 2), squeeze(y.indices, 2)};
  });
}

Tensor avg_pool1d(const Tensor& x, const AvgPool1dOptions& options) {
  return detail::with_batch(x, 3, [&](const Tensor& batch) {
    return squeeze(avg_pool2d(as_image("avg_pool1d", batch, options.kernel, options.stride, options.padding, 1),
                              {.kernel = {1, options.kernel},
                               .stride = {1, options.stride},
                               .padding = {0, options.padding},
                               .ceil_mode = options.ceil_mode,
                               .count_include_pad = options.count_include_pad}),
                   2);
  });
}

Tensor adaptive_avg_pool1d(const Tensor& x, std::int64_t size) {
  return detail::with_batch(x, 3, [&](const Tensor& batch) {
    check_sequence("adaptive_avg_pool1d", batch);
    if (size < 1) throw ValueError(str("adaptive_avg_pool1d: the size must be positive, got ", size));
    if (batch.size(2) < 1) throw ShapeError(str("adaptive_avg_pool1d: x ", batch, " has no elements to pool"));
    return squeeze(adaptive_avg_pool2d(unsqueeze(batch, 2), {1, size}), 2);
  });
}

Tensor adaptive_max_pool1d(const Tensor& x, std::int64_t size) {
  return detail::largest_parts("adaptive_max_pool1d", x, {size});
}

Tensor adaptive_max_pool2d(const Tensor& x, Pair size) {
  return detail::largest_parts("adaptive_max_pool2d", x, {size.height, size.width});
}

ValuesAndIndices adaptive_max_pool1d_with_indices(const Tensor& x, std::int64_t size) {
  return detail::largest_parts_with_indices("adaptive_max_pool1d_with_indices", x, {size});
}

ValuesAndIndices adaptive_max_pool2d_with_indices(const Tensor& x, Pair size) {
  return detail::largest_parts_with_indices("adaptive_max_pool2d_with_indices", x, {size.height, size.width});
}

}  // namespace minima
