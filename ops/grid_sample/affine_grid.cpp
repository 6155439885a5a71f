#include <minima/ops/grid_sample/grid_sample.h>

#include <minima/ops/cat/cat.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/copy/in_full.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/matmul/matmul.h>
#include <minima/ops/op.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <cstdint>
#include <vector>

namespace minima {

namespace {

/// The centres of `count` elements that fill -1 … 1.
Tensor centres(std::int64_t count, bool align_corners, const Tensor& like) {
  if (align_corners && count == 1) return zeros({1}, {.dtype = like.dtype(), .device = like.device()});
  const double first = align_corners ? -1.0 : 1.0 / static_cast<double>(count) - 1.0;
  return linspace(first, -first, count, {.dtype = like.dtype(), .device = like.device()});
}

}  // namespace

Tensor affine_grid(const Tensor& theta, const Shape& size, bool align_corners) {
  constexpr const char* op = "affine_grid";
  detail::check_defined(op, theta);
  if (!is_floating(theta.dtype()))
    throw DTypeError(str(op, ": theta must be floating, got ", theta, "; convert it with to()"));
  const int spatial = size.rank() - 2;
  if (spatial != 2 && spatial != 3)
    throw ShapeError(str(op, ": size must be {N, C, H, W} or {N, C, D, H, W}, got ", size));
  for (int d = 2; d < size.rank(); ++d)
    if (size[d] < 1) throw ValueError(str(op, ": sizes must be at least 1, got ", size));
  if (theta.shape() != Shape{size[0], spatial, spatial + 1})
    throw ShapeError(
        str(op, ": theta must be ", Shape{size[0], spatial, spatial + 1}, " for size ", size, ", got ", theta));
  Shape places;
  for (int d = 2; d < size.rank(); ++d) places.push_back(size[d]);
  Shape all = places;
  all.push_back(spatial + 1);
  const std::int64_t count = detail::checked_numel(all, op) / (spatial + 1);
  const detail::WithoutAutocast guard;
  const Tensor maps = detail::in_full(theta);
  std::vector<Tensor> coordinates;  // width first, and 1
  for (int d = spatial - 1; d >= 0; --d) {
    Shape along = Shape::filled(spatial, 1);
    along[d] = places[d];
    coordinates.push_back(expand(reshape(centres(places[d], align_corners, maps), along), places));
  }
  coordinates.push_back(expand(ones({1}, {.dtype = maps.dtype(), .device = maps.device()}), places));
  const Tensor grid = matmul(reshape(stack(coordinates, -1), {1, count, spatial + 1}), transpose(maps, 1, 2));
  Shape shape{size[0]};
  for (const std::int64_t n : places) shape.push_back(n);
  shape.push_back(spatial);
  return cast(reshape(grid, shape), theta.dtype());
}

}  // namespace minima
