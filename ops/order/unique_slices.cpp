#include <minima/ops/order/unique_slices.h>

#include <minima/autograd/mode.h>
#include <minima/ops/arrange/arrange.h>
#include <minima/ops/cat/cat.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/gather/gather.h>
#include <minima/ops/index/index.h>
#include <minima/ops/nonzero/nonzero.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/scan/scan.h>
#include <minima/ops/shape/shape.h>
#include <minima/ops/sort/sort.h>
#include <minima/ops/view/view.h>

#include <cstdint>

namespace minima {

namespace {

/// The runs of slices along a dimension; `differs` says which slices but the first are not like the one before.
Unique runs_of(const Tensor& x, const Tensor& differs, std::int64_t dim) {
  const std::int64_t count = x.size(dim);
  const TensorOptions positions{.dtype = DType::int64, .device = x.device()};
  if (count == 0) return {clone(x), zeros({0}, positions), zeros({0}, positions)};
  const Tensor first = cat({ones({1}, {.dtype = DType::boolean, .device = x.device()}), differs});
  const Tensor starts = flatten(nonzero(first));
  const Tensor ends = cat({slice(starts, 0, 1), full({1}, count, positions)});
  return {index_select(x, dim, starts), cumsum(first, 0) - 1, ends - starts};
}

/// The slices of x along a dimension as rows.
Tensor slices_of(const char* op, const Tensor& x, std::int64_t dim) {
  detail::check_defined(op, x);
  const int along = wrap_dim(dim, x.rank(), op);
  if (x.rank() == 0) throw ShapeError(str(op, ": x must have at least one dimension, got ", x));
  const Tensor front = movedim(x.detach(), {along}, {0});
  if (x.numel() == 0 && front.size(0) != 0)
    throw ShapeError(str(op, ": the slices along dimension ", along, " of ", x, " have no elements to compare"));
  return front.size(0) == 0 ? zeros({0, 1}, {.dtype = x.dtype(), .device = x.device()})
                            : reshape(front, {front.size(0), -1});
}

}  // namespace

Unique unique(const Tensor& x, std::int64_t dim) {
  const NoGrad constant;
  const Tensor rows = slices_of("unique", x, dim);
  Tensor order = arange(rows.size(0), {.device = x.device()});
  for (std::int64_t column = rows.size(1) - 1; column >= 0; --column)  // sorting keeps the order of equal elements
    order = index_select(order, 0, argsort(index_select(select(rows, 1, column), 0, order), 0));
  Unique runs = unique_consecutive(index_select(x.detach(), dim, order), dim);
  runs.inverse = scatter(zeros_like(order), 0, order, runs.inverse);
  return runs;
}

Unique unique_consecutive(const Tensor& x, std::int64_t dim) {
  const NoGrad constant;
  const Tensor rows = slices_of("unique_consecutive", x, dim);
  return runs_of(x.detach(), any(slice(rows, 0, 1) != slice(rows, 0, 0, -1), {1}), dim);
}

}  // namespace minima
