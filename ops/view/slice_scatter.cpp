#include <minima/ops/view/slice.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/scatter.h>
#include <minima/ops/op.h>
#include <minima/ops/view/diagonal.h>
#include <minima/ops/view/view.h>

#include <cstdint>

namespace minima {

namespace {

/// x with one of its views replaced by `source`.
template <class View>
Tensor replaced(const char* op, const Tensor& x, const Tensor& source, const View& view) {
  detail::check_defined(op, source, 1);
  const Shape shape = view(x.detach()).shape();
  if (source.shape() != shape)
    throw ShapeError(str(op, ": the source must have shape ", shape, " for x ", x, ", got ", source));
  if (source.dtype() != x.dtype())
    throw DTypeError(str(op, ": the source must have the dtype of x ", x, ", got ", source, "; convert it with to()"));
  const Tensor y = clone(x);
  copy_(view(y), source);
  return y;
}

}  // namespace

Tensor select_scatter(const Tensor& x, const Tensor& source, std::int64_t dim, std::int64_t index) {
  constexpr const char* op = "select_scatter";
  detail::check_defined(op, x);
  wrap_dim(dim, x.rank(), op);
  return replaced(op, x, source, [&](const Tensor& y) { return select(y, dim, index); });
}

Tensor slice_scatter(const Tensor& x, const Tensor& source, std::int64_t dim, std::int64_t start, std::int64_t stop,
                     std::int64_t step) {
  constexpr const char* op = "slice_scatter";
  detail::check_defined(op, x);
  wrap_dim(dim, x.rank(), op);
  return replaced(op, x, source, [&](const Tensor& y) { return slice(y, dim, start, stop, step); });
}

Tensor diagonal_scatter(const Tensor& x, const Tensor& source, std::int64_t offset, std::int64_t dim1,
                        std::int64_t dim2) {
  constexpr const char* op = "diagonal_scatter";
  detail::check_defined(op, x);
  wrap_dim(dim1, x.rank(), op);
  wrap_dim(dim2, x.rank(), op);
  return replaced(op, x, source, [&](const Tensor& y) { return diagonal(y, offset, dim1, dim2); });
}

Tensor as_strided_scatter(const Tensor& x, const Tensor& source, const Layout& layout) {
  constexpr const char* op = "as_strided_scatter";
  detail::check_defined(op, x);
  detail::check_defined(op, source, 1);
  if (source.shape() != layout.shape)
    throw ShapeError(str(op, ": needs a source ", layout.shape, " for this layout, got ", source));
  if (source.dtype() != x.dtype())
    throw DTypeError(str(op, ": dtypes differ: ", x, " and ", source, "; convert one with to()"));
  // The places of the layout's elements in x's row-major order.
  const Tensor places = as_strided(arange(x.numel(), {.dtype = DType::int64, .device = x.device()}), layout);
  return put(x, contiguous(places), contiguous(source));
}

}  // namespace minima
