#include <minima/ops/max_pool2d/pool_axis.h>

#include <minima/tensor/error.h>
#include <minima/tensor/format.h>

namespace minima::detail {

PoolAxis pool_axis(const char* op, const Shape& x, int dim, std::int64_t kernel, std::int64_t stride,
                   std::int64_t padding, std::int64_t dilation, bool ceil_mode) {
  if (x.rank() != 4) throw ShapeError(str(op, ": x must be [N, C, H, W] or [C, H, W], got ", x));
  if (kernel < 1 || stride < 1 || dilation < 1)
    throw ValueError(str(op, ": kernel, stride and dilation must be at least 1, got ", kernel, ", ", stride, " and ", dilation));
  const std::int64_t extent = dilation * (kernel - 1) + 1;
  if (padding < 0 || 2 * padding > extent)
    throw ValueError(str(op, ": padding must be between 0 and half the kernel, got padding ", padding, " for a kernel that ",
                         "spans ", extent));
  const std::int64_t size = x[dim], room = size + 2 * padding - extent;
  std::int64_t windows = room < 0 ? 0 : (room + (ceil_mode ? stride - 1 : 0)) / stride + 1;
  // The last window begins inside of the image or of the padding before it.
  if (ceil_mode && (windows - 1) * stride >= size + padding) --windows;
  if (windows < 1)
    throw ShapeError(str(op, ": a kernel that spans ", extent, " is larger than dimension ", dim - 4, " of x ", x,
                         " with padding ", padding));
  return {size, kernel, stride, padding, dilation, windows};
}

}  // namespace minima::detail
