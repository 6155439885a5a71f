#include <minima/ops/pooling/pool_axis.h>

#include <minima/ops/op.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <cstdint>

namespace minima::detail {

PoolAxis pool_axis(const char* op, const Shape& x, int dim, std::int64_t kernel, std::int64_t stride,
                   std::int64_t padding, std::int64_t dilation, bool ceil_mode) {
  if (x.rank() != 4) throw ShapeError(str(op, ": x must be [N, C, H, W] or [C, H, W], got ", x));
  if (kernel < 1 || stride < 1 || dilation < 1)
    throw ValueError(
        str(op, ": kernel, stride and dilation must be at least 1, got ", kernel, ", ", stride, " and ", dilation));
  const std::int64_t extent = fit(Wide{dilation} * (kernel - 1) + 1, op);
  if (padding < 0 || padding > extent / 2)
    throw ValueError(str(op, ": padding must be between 0 and half the kernel, got padding ", padding,
                         " for a kernel that ", "spans ", extent));
  const std::int64_t size = x[dim];
  const Wide room = Wide{size} + 2 * Wide{padding} - extent;  // at most size
  std::int64_t windows = room < 0 ? 0 : static_cast<std::int64_t>((room + (ceil_mode ? stride - 1 : 0)) / stride) + 1;
  // The last window must start inside the image or its leading padding.
  if (ceil_mode && Wide{windows - 1} * stride >= Wide{size} + padding) --windows;
  if (windows < 1)
    throw ShapeError(str(op, ": a kernel that spans ", extent, " is larger than dimension ", dim - 4, " of x ", x,
                         " with padding ", padding));
  return {size, kernel, stride, padding, dilation, windows};
}

std::int64_t part_start(std::int64_t i, std::int64_t parts, std::int64_t size) {
  return static_cast<std::int64_t>(Wide{i} * size / parts);
}

std::int64_t part_stop(std::int64_t i, std::int64_t parts, std::int64_t size) {
  return static_cast<std::int64_t>(((Wide{i} + 1) * size + parts - 1) / parts);
}

PoolAxis PoolAxis::trimmed() const {
  const Wide last_start = Wide{windows - 1} * stride - padding;
  const auto first = static_cast<std::int64_t>(last_start < 0 ? (-last_start + dilation - 1) / dilation : 0);
  const auto count = static_cast<std::int64_t>((Wide{size} - 1 + padding) / dilation) - first + 1;
  return {size,
          std::clamp<std::int64_t>(count, 1, kernel - first),
          windows > 1 ? stride : 1,
          static_cast<std::int64_t>(padding - Wide{first} * dilation),
          dilation,
          windows};
}

void check_sequence(const char* op, const Tensor& x) {
  check_defined(op, x);
  if (!is_floating(x.dtype()))
    throw DTypeError(str(op, ": needs a floating tensor, got ", x, "; convert it with to()"));
  if (x.rank() != 3) throw ShapeError(str(op, ": x must be [N, C, L] or [C, L], got ", x));
}

Tensor as_image(const char* op, const Tensor& x, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                std::int64_t dilation) {
  check_sequence(op, x);
  if (kernel < 1 || stride < 1 || dilation < 1)
    throw ValueError(
        str(op, ": kernel, stride and dilation must be at least 1, got ", kernel, ", ", stride, " and ", dilation));
  const std::int64_t extent = fit(Wide{dilation} * (kernel - 1) + 1, op);
  if (padding < 0 || padding > extent / 2)
    throw ValueError(str(op, ": padding must be between 0 and half the kernel, got padding ", padding,
                         " for a kernel that spans ", extent));
  if (Wide{x.shape()[2]} + 2 * Wide{padding} < extent)
    throw ShapeError(
        str(op, ": a kernel that spans ", extent, " is larger than the sequences of x ", x, " with padding ", padding));
  return unsqueeze(x, 2);
}

}  // namespace minima::detail
