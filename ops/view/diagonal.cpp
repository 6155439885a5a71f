#include <minima/ops/view/diagonal.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/op.h>
#include <minima/ops/view/parts.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <cstdint>

namespace minima {

namespace {

struct Diagonal {
  static constexpr Traits traits{.name = "diagonal"};
  std::int64_t offset;
  int dim1, dim2;

  Layout of(const Layout& x) const {
    const std::int64_t rows = x.shape[dim1], columns = x.shape[dim2];
    // Clamped first, so that no offset overflows.
    const std::int64_t right = std::clamp<std::int64_t>(offset, 0, columns);
    const std::int64_t down = offset < 0 ? -std::max(offset, -rows) : 0;
    Layout y;
    y.offset = x.offset;
    for (int d = 0; d < x.rank(); ++d) {
      if (d == dim1 || d == dim2) continue;
      y.shape.push_back(x.shape[d]);
      y.strides.push_back(x.strides[d]);
    }
    y.shape.push_back(std::min(rows - down, columns - right));
    y.strides.push_back(x.strides[dim1] + x.strides[dim2]);
    if (y.shape.back() > 0) y.offset += down * x.strides[dim1] + right * x.strides[dim2];
    return y;
  }
  Layout view(const Tensor& x) const { return of(x.layout()); }
  Tensor gradient(Grad g, Spec<0> x) const {
    const TensorSpec separate = x.layout.may_overlap() ? spec_of(x.shape(), x.dtype, x.device) : x;
    return slice_gradient(g, separate, of(separate.layout));
  }
};

}  // namespace

Tensor diagonal(const Tensor& x, std::int64_t offset, std::int64_t dim1, std::int64_t dim2) {
  detail::check_defined("diagonal", x);
  if (x.rank() < 2) throw ShapeError(str("diagonal: x needs at least two dimensions, got ", x));
  const int first = wrap_dim(dim1, x.rank(), "diagonal"), second = wrap_dim(dim2, x.rank(), "diagonal");
  if (first == second) throw ValueError(str("diagonal: dim1 and dim2 must differ, got ", dim1, " and ", dim2));
  return apply(Diagonal{offset, first, second}, x);
}

Tensor diag(const Tensor& x, std::int64_t offset) {
  detail::check_defined("diag", x);
  if (x.rank() == 1) return diag_embed(x, offset);
  if (x.rank() != 2) throw ShapeError(str("diag: x must be a vector or a matrix, got ", x));
  return clone(diagonal(x, offset));
}

Tensor diag_embed(const Tensor& x, std::int64_t offset, std::int64_t dim1, std::int64_t dim2) {
  constexpr const char* op = "diag_embed";
  detail::check_defined(op, x);
  if (x.rank() == 0) throw ShapeError(str(op, ": x must have at least one dimension, got ", x));
  const int first = wrap_dim(dim1, x.rank() + 1, op), second = wrap_dim(dim2, x.rank() + 1, op);
  if (first == second) throw ValueError(str(op, ": dim1 and dim2 must differ, got ", dim1, " and ", dim2));
  const detail::Wide distance = offset < 0 ? -detail::Wide{offset} : detail::Wide{offset};
  const std::int64_t size = detail::fit(detail::Wide{x.shape().back()} + distance, op);
  Shape shape;
  for (int d = 0, from = 0; d < x.rank() + 1; ++d)
    shape.push_back(d == first || d == second ? size : x.shape()[from++]);
  detail::checked_numel(shape, op);
  const Tensor y = zeros(shape, {.dtype = x.dtype(), .device = x.device()});
  copy_(diagonal(y, offset, first, second), x);
  return y;
}

}  // namespace minima
