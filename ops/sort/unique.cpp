#include <minima/ops/sort/unique.h>

#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/nonzero.h>
#include <minima/ops/index/scatter.h>
#include <minima/ops/index/select.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/histogram.h>
#include <minima/ops/reduce/scan.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/sort/searchsorted.h>
#include <minima/ops/sort/sort.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>

#include <cstdint>
#include <optional>
#include <utility>

namespace minima {

namespace {

/// `unique` by counting, which beats sorting, if x has whole numbers and not fewer than their range has places.
std::optional<Unique> counted(const Tensor& x) {
  const bool is_whole = !is_floating(x.dtype()) && !is_complex(x.dtype());
  if (!is_whole || x.numel() == 0 || x.device().is_cuda()) return {};  // on a GPU, looking would wait for it
  const Tensor numbers = flatten(x.detach()).to(DType::int64);
  const auto least = min(numbers).item<std::int64_t>(), most = max(numbers).item<std::int64_t>();
  if (static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least) >= static_cast<std::uint64_t>(x.numel()))
    return {};
  const Tensor places = numbers - least, counts = bincount(places), present = flatten(nonzero(counts));
  const Tensor rank = cumsum(counts > 0, 0) - 1;
  return Unique{(present + least).to(x.dtype()), reshape(index_select(rank, 0, places), x.shape()),
                index_select(counts, 0, present)};
}

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

Unique unique(const Tensor& x) {
  detail::check_defined("unique", x);
  const NoGrad constant;
  if (std::optional<Unique> found = counted(x)) return *std::move(found);
  const auto [sorted, order] = sort(flatten(x), 0);
  const Unique runs = unique_consecutive(sorted);
  const Tensor inverse =
      scatter(zeros(order.shape(), {.dtype = DType::int64, .device = x.device()}), 0, order, runs.inverse);
  return {runs.values, reshape(inverse, x.shape()), runs.counts};
}

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

Unique unique_consecutive(const Tensor& x) {
  detail::check_defined("unique_consecutive", x);
  const NoGrad constant;
  const Tensor line = flatten(x.detach());
  const TensorOptions positions{.dtype = DType::int64, .device = x.device()};
  if (line.numel() == 0) return {clone(line), zeros(x.shape(), positions), zeros({0}, positions)};
  const Tensor first =
      cat({ones({1}, {.dtype = DType::boolean, .device = x.device()}), slice(line, 0, 1) != slice(line, 0, 0, -1)});
  const Tensor starts = flatten(nonzero(first));
  const Tensor ends = cat({slice(starts, 0, 1), full({1}, line.numel(), positions)});
  return {index_select(line, 0, starts), reshape(cumsum(first, 0) - 1, x.shape()), ends - starts};
}

Unique unique_consecutive(const Tensor& x, std::int64_t dim) {
  const NoGrad constant;
  const Tensor rows = slices_of("unique_consecutive", x, dim);
  return runs_of(x.detach(), any(slice(rows, 0, 1) != slice(rows, 0, 0, -1), {1}), dim);
}

Tensor isin(const Tensor& x, const Tensor& elements) {
  constexpr const char* op = "isin";
  detail::check_defined(op, x);
  detail::check_defined(op, elements, 1);
  if (elements.dtype() != x.dtype())
    throw DTypeError(
        str(op, ": elements must have the dtype of x ", x, ", got ", elements, "; convert them with to()"));
  const NoGrad constant;
  if (elements.numel() == 0) return zeros(x.shape(), {.dtype = DType::boolean, .device = x.device()});
  const Tensor sorted = sort(flatten(elements), 0).values, values = flatten(x);
  const Tensor at = minimum(searchsorted(sorted, values), elements.numel() - 1);
  return reshape(gather(sorted, 0, at) == values, x.shape());
}

}  // namespace minima
