#include <minima/ops/aggregate/slopes.h>

#include <minima/ops/cat/cat.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>

#include <cmath>
#include <cstdint>

namespace minima {

namespace {

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

}  // namespace

std::vector<Tensor> gradient(const Tensor& y, const SlopeOptions& options) {
  constexpr const char* op = "gradient";
  detail::check_defined(op, y);
  if (!is_floating(y.dtype()))
    throw DTypeError(str(op, ": needs a floating tensor, got ", y, "; convert it with to()"));
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
    slopes.push_back(slope(y, dim, step, options.edge_order));
  }
  return slopes;
}

Tensor renorm(const Tensor& x, double p, std::int64_t dim, double most) {
  constexpr const char* op = "renorm";
  detail::check_defined(op, x);
  if (!is_floating(x.dtype()))
    throw DTypeError(str(op, ": needs a floating tensor, got ", x, "; convert it with to()"));
  if (x.rank() < 2) throw ShapeError(str(op, ": needs two dimensions or more, got ", x));
  if (!(p > 0)) throw ValueError(str(op, ": p must be positive, got ", p));
  if (!(most >= 0)) throw ValueError(str(op, ": the largest norm must not be negative, got ", most));
  const int kept = wrap_dim(dim, x.rank(), op);
  Shape others;
  for (int i = 0; i < x.rank(); ++i)
    if (i != kept) others.push_back(i);
  const Tensor size = norm(x, p, others, true);
  return x * where(size > most, most / (size + 1e-7), 1);
}

}  // namespace minima
