#include <minima/ops/pooling/max_unpool.h>

#include <minima/ops/core/pair.h>
#include <minima/ops/core/triple.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/scatter.h>
#include <minima/ops/op.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <cstdint>

namespace minima {

namespace {

/// The windows of the last dimensions.
struct UnpoolWindows {
  Shape kernel, stride, padding, size;
};

Shape result_sizes(const char* op, const Tensor& x, const UnpoolWindows& w) {
  const int spatial = w.kernel.rank();
  if (!w.size.empty() && w.size.rank() != spatial)
    throw ShapeError(str(op, ": size must have ", spatial, " numbers, got ", w.size));
  Shape sizes;
  for (int d = 0; d < spatial; ++d) {
    if (w.kernel[d] < 1 || w.stride[d] < 1 || w.padding[d] < 0)
      throw ValueError(str(op, ": kernel and stride must be at least 1 and padding not negative, got ", w.kernel[d],
                           ", ", w.stride[d], " and ", w.padding[d]));
    using detail::Wide;
    const std::int64_t usual =
        detail::fit(Wide{x.size(d - spatial) - 1} * w.stride[d] - 2 * Wide{w.padding[d]} + w.kernel[d], op);
    const std::int64_t wanted = w.size.empty() ? usual : w.size[d];
    // Pooling drops fewer elements than a stride.
    const bool fits = Wide{wanted} > Wide{usual} - w.stride[d] && Wide{wanted} < Wide{usual} + w.stride[d];
    if (wanted < 1 || !fits)
      throw ShapeError(str(op, ": dimension ", d - spatial, " of x ", x, " cannot become ", wanted,
                           "; its windows come from about ", usual, " elements"));
    sizes.push_back(wanted);
  }
  return sizes;
}

Tensor unpooled(const char* op, const Tensor& x, const Tensor& indices, const UnpoolWindows& windows) {
  detail::check_defined(op, x);
  detail::check_defined(op, indices, 1);
  const int spatial = windows.kernel.rank();
  if (x.rank() != spatial + 1 && x.rank() != spatial + 2)
    throw ShapeError(
        str(op, ": x must have ", spatial + 2, " dimensions, or ", spatial + 1, " without a batch, got ", x));
  if (indices.dtype() != DType::int64)
    throw DTypeError(str(op, ": indices must be int64, got ", indices, "; convert them with to(int64)"));
  if (indices.shape() != x.shape())
    throw ShapeError(str(op, ": x and indices need one shape, got ", x, " and ", indices));
  Shape shape = x.shape();
  shape.resize(x.rank() - spatial);
  for (const std::int64_t size : result_sizes(op, x, windows)) shape.push_back(size);
  detail::checked_numel(shape, op);
  std::int64_t positions = 1;
  for (int d = x.rank() - spatial; d < x.rank(); ++d) positions *= shape[d];
  Shape flat = x.shape();
  flat.resize(x.rank() - spatial);
  flat.push_back(positions);
  const int first = x.rank() - spatial;
  const Tensor empty_planes = zeros(flat, {.dtype = x.dtype(), .device = x.device()});
  return reshape(scatter(empty_planes, first, flatten(indices, first), flatten(x, first)), shape);
}

Shape numbers(Pair p) { return {p.height, p.width}; }
Shape numbers(Triple t) { return {t.depth, t.height, t.width}; }

}  // namespace

Tensor max_unpool1d(const Tensor& x, const Tensor& indices, const MaxUnpool1dOptions& o) {
  return unpooled("max_unpool1d", x, indices, {{o.kernel}, {o.stride}, {o.padding}, o.size});
}

Tensor max_unpool2d(const Tensor& x, const Tensor& indices, const MaxUnpool2dOptions& o) {
  return unpooled("max_unpool2d", x, indices, {numbers(o.kernel), numbers(o.stride), numbers(o.padding), o.size});
}

Tensor max_unpool3d(const Tensor& x, const Tensor& indices, const MaxUnpool3dOptions& o) {
  return unpooled("max_unpool3d", x, indices, {numbers(o.kernel), numbers(o.stride), numbers(o.padding), o.size});
}

}  // namespace minima
