#include <minima/ops/place/scatter_views.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/op.h>
#include <minima/ops/place/place.h>
#include <minima/ops/view/view.h>

#include <cstdint>

namespace minima {

Tensor index_reduce(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source, ScatterMode mode,
                    bool include_self) {
  constexpr const char* op = "index_reduce";
  detail::check_defined(op, x);
  detail::check_defined(op, index, 1);
  detail::check_defined(op, source, 2);
  const int along = wrap_dim(dim, x.rank(), op);
  Shape expected = x.shape();
  if (index.rank() == 1) expected[along] = index.numel();
  if (index.rank() != 1 || index.dtype() != DType::int64 || source.shape() != expected)
    throw ShapeError(str(op, ": needs an index int64 [K] and a source with K slices along dimension ", along, " of ", x,
                         ", got ", index, " and ", source));
  Shape column = Shape::filled(x.rank(), 1);
  column[along] = index.numel();
  return scatter_reduce(x, along, expand(reshape(index, column), expected), source, mode, include_self);
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
