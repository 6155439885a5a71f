#include <minima/ops/pool1d/pool1d.h>

#include <minima/ops/arrange/arrange.h>
#include <minima/ops/avg_pool2d/avg_pool2d.h>
#include <minima/ops/images/pool_axis.h>
#include <minima/ops/images/unbatched.h>
#include <minima/ops/max_pool2d/max_pool2d.h>
#include <minima/ops/op.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
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

void check_windows(const char* op, const Tensor& x, int rank, std::int64_t size) {
  detail::check_defined(op, x);
  if (!is_floating(x.dtype()))
    throw DTypeError(str(op, ": needs a floating tensor, got ", x, "; convert it with to()"));
  if (x.rank() < rank) throw ShapeError(str(op, ": x needs at least ", rank, " dimensions, got ", x));
  if (size < 1) throw ValueError(str(op, ": the size must be positive, got ", size));
  if (x.size(-1) < 1 || x.size(-rank + 1) < 1) throw ShapeError(str(op, ": x ", x, " has no elements to pool"));
}

/// The maximum of `size` adaptive windows along a dimension: gathers all windows, repeating the last element of shorter
/// ones.
Tensor largest_windows(const char* op, const Tensor& x, int dim, std::int64_t size) {
  const std::int64_t length = x.shape()[dim];
  detail::expect_room(size, sizeof(std::int64_t), op);
  std::int64_t taps = 1;
  for (std::int64_t i = 0; i < size; ++i)
    taps = std::max(taps, detail::part_stop(i, size, length) - detail::part_start(i, size, length));
  const Tensor places = empty({size, taps}, {.dtype = DType::int64});
  for (std::int64_t i = 0; i < size; ++i)
    for (std::int64_t tap = 0; tap < taps; ++tap)
      places.data<std::int64_t>()[i * taps + tap] =
          std::min(detail::part_start(i, size, length) + tap, detail::part_stop(i, size, length) - 1);
  const Tensor elements = index_select(x, dim, reshape(places, {-1}).to(x.device()));
  Shape windows;
  for (int d = 0; d < x.rank(); ++d) {
    windows.push_back(d == dim ? size : x.shape()[d]);
    if (d == dim) windows.push_back(taps);
  }
  return max(reshape(elements, windows), dim + 1).values;
}

}  // namespace

Tensor max_pool1d(const Tensor& x, const MaxPool1dOptions& options) {
  return detail::with_batch(x, 3, [&](const Tensor& batch) {
    return squeeze(
        max_pool2d(as_image("max_pool1d", batch, options.kernel, options.stride, options.padding, options.dilation),
                   {.kernel = {1, options.kernel},
                    .stride = {1, options.stride},
                    .padding = {0, options.padding},
                    .dilation = {1, options.dilation},
                    .ceil_mode = options.ceil_mode}),
        2);
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
    check_windows("adaptive_avg_pool1d", batch, 2, size);
    return squeeze(adaptive_avg_pool2d(unsqueeze(batch, 2), {1, size}), 2);
  });
}

Tensor adaptive_max_pool1d(const Tensor& x, std::int64_t size) {
  check_windows("adaptive_max_pool1d", x, 2, size);
  return largest_windows("adaptive_max_pool1d", x, x.rank() - 1, size);
}

Tensor adaptive_max_pool2d(const Tensor& x, Pair size) {
  check_windows("adaptive_max_pool2d", x, 3, std::min(size.height, size.width));
  constexpr const char* op = "adaptive_max_pool2d";
  return largest_windows(op, largest_windows(op, x, x.rank() - 1, size.width), x.rank() - 2, size.height);
}

}  // namespace minima
