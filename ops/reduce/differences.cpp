#include <minima/ops/reduce/differences.h>

#include <minima/ops/copy/casts.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/kernels.h>
#include <minima/ops/reduce/scan.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima {

namespace {

/// A dimension of a tensor that has one.
int dim_of(const char* op, const Tensor& x, std::int64_t dim) {
  const int along = wrap_dim(dim, x.rank(), op);
  if (x.rank() == 0) throw ShapeError(str(op, ": x must have at least one dimension, got ", x));
  return along;
}

struct Neighbours {
  Tensor first, second;
};
/// All elements along a dimension but the last one, and all but the first one.
Neighbours neighbours(const Tensor& x, int dim) { return {slice(x, dim, 0, -1), slice(x, dim, 1)}; }

Tensor slope(const Tensor& y, std::int64_t dim, double step, int edge_order) {
  const std::int64_t size = y.size(dim);
  const auto at = [&](std::int64_t i) { return narrow(y, dim, i, 1); };
  Tensor first = at(1) - at(0), last = at(size - 1) - at(size - 2);
  if (edge_order == 2) {
    first = at(1) * 2 - at(0) * 1.5 - at(2) * 0.5;
    last = at(size - 1) * 1.5 - at(size - 2) * 2 + at(size - 3) * 0.5;
  }
  if (size == 2) return cat({first, last}, dim) / step;
  const Tensor inner = (narrow(y, dim, 2, size - 2) - narrow(y, dim, 0, size - 2)) * 0.5;
  return cat({first, inner, last}, dim) / step;
}

/// The areas of the trapezoids between neighbours, times 2 without `x`.
Tensor areas(const char* op, const Tensor& y, const Tensor* x, std::int64_t dim) {
  detail::check_floating(op, y);
  const int along = dim_of(op, y, dim);
  if (x) detail::check_defined(op, *x, 1);
  const DType common = x ? promote(y.dtype(), x->dtype()) : y.dtype(),
              dtype = is_half(common) ? DType::float32 : common;
  const auto [left, right] = neighbours(cast(y, dtype), along);
  Tensor heights = left + right;
  if (!x) return heights;
  const bool is_vector = x->rank() == 1;
  if (is_vector ? x->shape()[0] != y.shape()[along] : broadcast(x->shape(), y.shape(), op) != y.shape())
    throw ShapeError(str(op, ": x must be a vector with y's size along dimension ", along,
                         " or broadcast to y's shape, got ", *x, " for y ", y));
  Shape shape = Shape::filled(y.rank(), 1);
  shape[along] = y.shape()[along];
  // Differences of small or unsigned integers would wrap around.
  const Tensor wide = cast(*x, is_floating(x->dtype()) ? dtype : DType::int64);
  const Tensor coordinates = expand(is_vector ? reshape(wide, shape) : wide, y.shape());
  const auto [from, to] = neighbours(coordinates, along);
  return (to - from) * heights / 2;
}

}  // namespace

Tensor diff(const Tensor& x, std::int64_t times, std::int64_t dim) {
  constexpr const char* op = "diff";
  detail::check_defined(op, x);
  const int along = dim_of(op, x, dim);
  if (times < 0) throw ValueError(str(op, ": times must not be negative, got ", times));
  Tensor y = times > 1 ? detail::in_full(x) : x;
  for (; times > 0 && y.shape()[along] > 0; --times) {
    const auto [first, second] = neighbours(y, along);
    y = y.dtype() == DType::boolean ? second != first : second - first;
  }
  return cast(y, x.dtype());
}

Tensor diff(const Tensor& x, const DiffOptions& options) {
  detail::check_defined("diff", x);
  const int along = dim_of("diff", x, options.dim);
  std::vector<Tensor> parts{x};
  if (options.prepend.defined()) parts.insert(parts.begin(), options.prepend);
  if (options.append.defined()) parts.push_back(options.append);
  return diff(options.times == 0 || parts.size() == 1 ? x : cat(parts, along), options.times, along);
}

std::vector<Tensor> gradient(const Tensor& y, const SlopeOptions& options) {
  constexpr const char* op = "gradient";
  detail::check_floating(op, y);
  if (options.edge_order != 1 && options.edge_order != 2)
    throw ValueError(str(op, ": edge_order must be 1 or 2, got ", options.edge_order));
  std::vector<std::int64_t> dims(options.dims.begin(), options.dims.end());
  for (int i = 0; i < y.rank() && options.dims.rank() == 0; ++i) dims.push_back(i);
  if (options.spacing.size() > 1 && options.spacing.size() != dims.size())
    throw ValueError(str(op, ": needs one spacing or ", dims.size(), ", got ", options.spacing.size()));
  for (const double step : options.spacing) detail::check_number(op, "spacing", step, detail::finite_not_zero);
  std::vector<Tensor> slopes;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const int dim = wrap_dim(dims[i], y.rank(), op);
    if (y.size(dim) <= options.edge_order)
      throw ShapeError(
          str(op, ": needs more than ", options.edge_order, " elements along dimension ", dim, ", got ", y));
    const double step = options.spacing.empty() ? 1 : options.spacing[options.spacing.size() == 1 ? 0 : i];
    slopes.push_back(cast(slope(detail::in_full(y), dim, step, options.edge_order), y.dtype()));
  }
  return slopes;
}

Tensor trapezoid(const Tensor& y, double dx, std::int64_t dim) {
  const detail::WithoutAutocast guard;
  const Tensor heights = areas("trapezoid", y, nullptr, dim);
  return cast(sum(heights, {dim}) * (dx / 2), y.dtype());
}

Tensor trapezoid(const Tensor& y, const Tensor& x, std::int64_t dim) {
  const detail::WithoutAutocast guard;
  const Tensor pieces = areas("trapezoid", y, &x, dim);
  return cast(sum(pieces, {dim}), promote(y.dtype(), x.dtype()));
}

Tensor cumulative_trapezoid(const Tensor& y, double dx, std::int64_t dim) {
  const detail::WithoutAutocast guard;
  const Tensor heights = areas("cumulative_trapezoid", y, nullptr, dim);
  return cast(cumsum(heights, dim) * (dx / 2), y.dtype());
}

Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, std::int64_t dim) {
  const detail::WithoutAutocast guard;
  const Tensor pieces = areas("cumulative_trapezoid", y, &x, dim);
  return cast(cumsum(pieces, dim), promote(y.dtype(), x.dtype()));
}

}  // namespace minima
