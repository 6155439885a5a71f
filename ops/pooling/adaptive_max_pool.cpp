#include <minima/ops/creation/creation.h>
#include <minima/ops/index/select.h>
#include <minima/ops/op.h>
#include <minima/ops/pooling/max_pool.h>
#include <minima/ops/pooling/pool_axis.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <cstdint>

namespace minima {

namespace {

/// The maximum of `size` adaptive windows along a dimension, and if `places_of` is defined, what it has at the maxima,
/// the first of equal ones: gathers all windows, repeating the last element of shorter ones.
ValuesAndIndices largest_windows(const char* op, const Tensor& x, const Tensor& places_of, int dim, std::int64_t size) {
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
  const Tensor index = reshape(places, {-1}).to(x.device());
  Shape windows;
  for (int d = 0; d < x.rank(); ++d) {
    windows.push_back(d == dim ? size : x.shape()[d]);
    if (d == dim) windows.push_back(taps);
  }
  const auto [values, taken] = max(reshape(index_select(x, dim, index), windows), dim + 1);
  if (!places_of.defined()) return {values, Tensor()};
  const Tensor all = reshape(index_select(places_of, dim, index), windows);
  return {values, squeeze(gather(all, dim + 1, unsqueeze(taken, dim + 1)), dim + 1)};
}

ValuesAndIndices pooled(const char* op, const Tensor& x, const Shape& sizes, bool with_indices) {
  const int spatial = sizes.rank();
  detail::check_defined(op, x);
  if (!is_floating(x.dtype()))
    throw DTypeError(str(op, ": needs a floating tensor, got ", x, "; convert it with to()"));
  if (x.rank() < spatial + 1) throw ShapeError(str(op, ": x needs at least ", spatial + 1, " dimensions, got ", x));
  const std::int64_t least = *std::min_element(sizes.begin(), sizes.end());
  if (least < 1) throw ValueError(str(op, ": the size must be positive, got ", least));
  for (int d = 1; d <= spatial; ++d)
    if (x.size(-d) < 1) throw ShapeError(str(op, ": x ", x, " has no elements to pool"));
  ValuesAndIndices y{x, Tensor()};
  if (with_indices) {
    Shape plane;
    for (int d = spatial; d > 0; --d) plane.push_back(x.size(-d));
    y.indices = expand(reshape(arange(numel(plane), {.device = x.device()}), plane), x.shape());
  }
  for (int d = spatial - 1; d >= 0; --d) y = largest_windows(op, y.values, y.indices, x.rank() - spatial + d, sizes[d]);
  return y;
}

/// Adaptive max pooling of the last dimensions of x into `sizes` parts, one number for each.
Tensor largest_parts(const char* op, const Tensor& x, const Shape& sizes) { return pooled(op, x, sizes, false).values; }

/// The same with the position of each maximum among the elements of those dimensions, in row-major order.
ValuesAndIndices largest_parts_with_indices(const char* op, const Tensor& x, const Shape& sizes) {
  return pooled(op, x, sizes, true);
}

}  // namespace

Tensor adaptive_max_pool1d(const Tensor& x, std::int64_t size) {
  return largest_parts("adaptive_max_pool1d", x, {size});
}

Tensor adaptive_max_pool2d(const Tensor& x, Pair size) {
  return largest_parts("adaptive_max_pool2d", x, {size.height, size.width});
}

ValuesAndIndices adaptive_max_pool1d_with_indices(const Tensor& x, std::int64_t size) {
  return largest_parts_with_indices("adaptive_max_pool1d_with_indices", x, {size});
}

ValuesAndIndices adaptive_max_pool2d_with_indices(const Tensor& x, Pair size) {
  return largest_parts_with_indices("adaptive_max_pool2d_with_indices", x, {size.height, size.width});
}

Tensor adaptive_max_pool3d(const Tensor& x, Triple size) {
  return largest_parts("adaptive_max_pool3d", x, {size.depth, size.height, size.width});
}

ValuesAndIndices adaptive_max_pool3d_with_indices(const Tensor& x, Triple size) {
  return largest_parts_with_indices("adaptive_max_pool3d_with_indices", x, {size.depth, size.height, size.width});
}

}  // namespace minima
