#include <minima/ops/index/places.h>

#include <minima/ops/creation/creation.h>
#include <minima/ops/index/common.h>
#include <minima/ops/index/index.h>
#include <minima/ops/index/nonzero.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace minima::detail {

namespace {

/// An index vector for one dimension of the view.
struct Indexed {
  int dim;
  Tensor index;
};

/// The number of x's dimensions that an index consumes.
int dims_of(const Index& index) {
  switch (index.kind) {
    case Index::Kind::number:
    case Index::Kind::range: return 1;
    case Index::Kind::tensor:
      return index.tensor.defined() && index.tensor.dtype() == DType::boolean ? index.tensor.rank() : 1;
    default: return 0;
  }
}

/// Converts a mask to the coordinates of its true elements.
void add_mask(const char* op, const Tensor& mask, const Tensor& view, int dim, std::vector<Indexed>& indexed) {
  for (int d = 0; d < mask.rank(); ++d)
    if (mask.shape()[d] != view.shape()[dim + d])
      throw IndexError(
          str(op, ": the mask ", mask.shape(), " does not match dimension ", dim + d, " of ", view.shape()));
  const Tensor coordinates = nonzero(mask);
  for (int d = 0; d < mask.rank(); ++d) indexed.push_back({dim + d, select(coordinates, 1, d)});
}

void add_tensor(const char* op, const Tensor& tensor, const Tensor& view, int dim, std::vector<Indexed>& indexed) {
  if (!tensor.defined()) throw ValueError(str(op, ": the index for dimension ", dim, " is undefined"));
  if (tensor.dtype() == DType::boolean) {
    if (tensor.rank() == 0) throw IndexError(str(op, ": a mask needs at least one dimension"));
    return add_mask(op, tensor, view, dim, indexed);
  }
  if (tensor.dtype() != DType::int64)
    throw DTypeError(str(op, ": indices must be int64 or bool, got ", tensor, "; convert them with to()"));
  indexed.push_back({dim, tensor});
}

Shape broadcast(const char* op, const std::vector<Indexed>& indexed) {
  Shape shape;
  for (const Indexed& one : indexed) {
    const Shape& other = one.index.shape();
    while (shape.rank() < other.rank()) {
      Shape longer{1};
      for (const std::int64_t size : shape) longer.push_back(size);
      shape = longer;
    }
    for (int d = 0; d < other.rank(); ++d) {
      std::int64_t& size = shape[shape.rank() - other.rank() + d];
      if (size == 1) size = other[d];
      else if (other[d] != 1 && other[d] != size)
        throw ShapeError(str(op, ": the indices do not broadcast: ", indexed.front().index.shape(), " and ", other));
    }
  }
  return shape;
}

/// Throws for an index out of range, quoting it as given.
void check_places(const char* op, const Tensor& index, const Tensor& place, int dim, std::int64_t size) {
  try {
    check_indices(op, place, dim, size);
  } catch (const IndexError&) {
    check_indices(op, where(logical_and(place >= 0, place < size), place, index), dim, size);
    throw;
  }
}

/// Row-major positions in the indexed dimensions; an index out of range becomes `count`, which is no valid row.
Tensor rows_of(const char* op, const std::vector<Indexed>& indexed, const Shape& view, const Shape& shape,
               std::int64_t count) {
  Tensor rows, valid;
  for (const Indexed& one : indexed) {
    const std::int64_t size = view[one.dim];
    const bool is_known = !on_cuda(one.index), from_start = is_known && indices_within(one.index, 0, size);
    const Tensor place = from_start ? one.index : where(one.index < 0, one.index + size, one.index);
    if (is_known && !from_start) check_places(op, one.index, place, one.dim, size);
    rows = rows.defined() ? rows * size + place : place;
    if (is_known) continue;
    const Tensor fits = logical_and(place >= 0, place < size);
    valid = valid.defined() ? logical_and(valid, fits) : fits;
  }
  if (!valid.defined()) return reshape(expand(rows, shape), {-1});
  const Tensor none = full({}, count, {.dtype = DType::int64, .device = rows.device()});
  return reshape(expand(where(valid, rows, none), shape), {-1});
}

}  // namespace

Shape Places::order() const {
  // [index_shape…, rest…] → rest[0 … result_dim), index_shape, rest[result_dim …)
  const int index_rank = index_shape.rank(), rest_rank = view.rank() - indexed;
  Shape order;
  for (int d = 0; d < result_dim; ++d) order.push_back(index_rank + d);
  for (int d = 0; d < index_rank; ++d) order.push_back(d);
  for (int d = result_dim; d < rest_rank; ++d) order.push_back(index_rank + d);
  return order;
}

Shape Places::inverse_order() const {
  const Shape forward = order();
  Shape inverse = Shape::filled(forward.rank(), 0);
  for (int d = 0; d < forward.rank(); ++d) inverse[static_cast<int>(forward[d])] = d;
  return inverse;
}

Places places_of(const char* op, const Tensor& x, const std::vector<Index>& at) {
  check_defined(op, x);
  int named = 0, ellipses = 0;
  for (const Index& index : at) {
    named += dims_of(index);
    ellipses += index.kind == Index::Kind::ellipsis;
  }
  if (named > x.rank())
    throw IndexError(str(op, ": ", named, " indices are too many for x ", x, "; give at most one for each dimension"));
  if (ellipses > 1) throw IndexError(str(op, ": more than one ellipsis; use only one"));

  Tensor view = x;
  int dim = 0;
  std::vector<Indexed> indexed;
  for (const Index& index : at) {
    switch (index.kind) {
      case Index::Kind::number:
        if (const std::int64_t size = view.shape()[dim]; index.number < -size || index.number >= size)
          throw IndexError(
              str(op, ": index ", index.number, " is out of range for dimension ", dim, " of ", view.shape()));
        view = select(view, dim, index.number);
        break;
      case Index::Kind::range:
        if (index.range.step < 1)
          throw ValueError(str(op, ": the step of a range must be at least 1, got ", index.range.step));
        view = slice(view, dim, index.range.start.value_or(0),
                     index.range.stop.value_or(std::numeric_limits<std::int64_t>::max()), index.range.step);
        ++dim;
        break;
      case Index::Kind::ellipsis: dim += x.rank() - named; break;
      case Index::Kind::new_axis: view = unsqueeze(view, dim++); break;
      case Index::Kind::tensor:
        add_tensor(op, index.tensor, view, dim, indexed);
        dim += dims_of(index);
        break;
    }
  }
  if (indexed.empty()) {
    Places places;
    places.view = view;
    return places;
  }

  Places places;
  places.indexed = static_cast<int>(indexed.size());
  places.row_count = 1;
  Shape order;
  bool neighbours = true;
  for (const Indexed& one : indexed) {
    neighbours = neighbours && one.dim == indexed.front().dim + order.rank();
    order.push_back(one.dim);
    places.row_count *= view.shape()[one.dim];
  }
  for (int d = 0; d < view.rank(); ++d) {
    bool is_indexed = false;
    for (const Indexed& one : indexed) is_indexed = is_indexed || one.dim == d;
    if (!is_indexed) order.push_back(d);
  }
  places.result_dim = neighbours ? indexed.front().dim : 0;
  places.index_shape = broadcast(op, indexed);
  places.rows = rows_of(op, indexed, view.shape(), places.index_shape, places.row_count);
  places.view = permute(view, order);
  return places;
}

}  // namespace minima::detail
