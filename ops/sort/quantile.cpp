#include <minima/ops/sort/quantile.h>

#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/select.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/rounding.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/scan.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/sort/sort.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace minima {

namespace {

/// x with at least one dimension, and the dimension in question.
struct Lines {
  Tensor x;
  int dim;
};
Lines lines_of(const char* op, const Tensor& x, std::int64_t dim) {
  detail::check_defined(op, x);
  const int along = wrap_dim(dim, x.rank(), op);
  const Tensor lines = x.rank() == 0 ? unsqueeze(x, 0) : x;
  if (lines.shape()[along] == 0)
    throw ShapeError(str(op, ": dimension ", along, " has no elements to choose from, got ", x));
  return {lines, along};
}

/// Drops the dimension of size 1 unless it is kept; x is what the caller passed.
Tensor reduced(const Tensor& y, int dim, bool keep_dim, const Tensor& x) {
  return keep_dim && x.rank() > 0 ? y : squeeze(y, dim);
}

/// The element at place `at` [..., 1, ...] of each sorted line, with its original position.
ValuesAndIndices chosen(const ValuesAndIndices& sorted, int dim, const Tensor& at, bool keep_dim, const Tensor& x) {
  return {reduced(gather(sorted.values, dim, at), dim, keep_dim, x),
          reduced(gather(sorted.indices, dim, at), dim, keep_dim, x)};
}

/// The element of one rank of each line.
ValuesAndIndices ranked(const Tensor& lines, int dim, std::int64_t rank, bool keep_dim, const Tensor& x) {
  const auto [values, indices] = detail::ranks(lines, dim, rank, 1);
  return {reduced(values, dim, keep_dim, x), reduced(indices, dim, keep_dim, x)};
}

Tensor int64_full(const Shape& shape, std::int64_t value, Device device) {
  return expand(full({}, value, {.dtype = DType::int64, .device = device}), shape);
}

Shape with_size(Shape shape, int dim, std::int64_t size) {
  shape[dim] = size;
  return shape;
}

/// Whether lines are known to be without NaN. On a GPU, looking would wait for it.
bool has_only_numbers(const Tensor& x) {
  if (!is_floating(x.dtype())) return true;
  if (x.device().is_cuda()) return false;
  return !any(isnan(x.detach())).item<bool>();
}

/// The number of elements of each line that are not NaN, [..., 1, ...].
Tensor known(const Tensor& x, int dim) {
  if (!is_floating(x.dtype())) return int64_full(with_size(x.shape(), dim, 1), x.shape()[dim], x.device());
  return sum(logical_not(isnan(x)), {dim}, true);
}

/// The median of no elements: NaN.
Tensor nothing(const char* op, const Tensor& x) {
  if (!is_floating(x.dtype())) throw ShapeError(str(op, ": x has no elements to choose from, got ", x));
  return full({}, std::numeric_limits<double>::quiet_NaN(), {.dtype = x.dtype(), .device = x.device()});
}

/// The elements at these positions [..., Q, ...] of sorted lines, interpolated.
Tensor interpolated(const Tensor& sorted, int dim, const Tensor& position, QuantileMode mode) {
  const auto at = [&](const Tensor& place) { return gather(sorted, dim, place.to(DType::int64)); };
  switch (mode) {
    case QuantileMode::lower: return at(floor(position));
    case QuantileMode::higher: return at(ceil(position));
    case QuantileMode::nearest: return at(round(position));
    case QuantileMode::midpoint: return (at(floor(position)) + at(ceil(position))) * 0.5;
    case QuantileMode::linear: break;
  }
  const Tensor low = at(floor(position)), high = at(ceil(position));
  return low + (high - low) * frac(position).to(sorted.dtype());
}

/// The ranks that quantiles of `size` numbers depend on.
struct Needed {
  std::int64_t first, count;
};
Needed needed(const std::vector<double>& q, std::int64_t size) {
  if (q.empty()) return {0, size};
  const auto [least, most] = std::minmax_element(q.begin(), q.end());
  const auto last = static_cast<double>(size - 1);
  const auto first = static_cast<std::int64_t>(*least * last), end = static_cast<std::int64_t>(std::ceil(*most * last));
  return {first, std::min(end, size - 1) - first + 1};
}

Tensor quantiles(const char* op, const Tensor& x, const std::vector<double>& q, std::int64_t dim,
                 const QuantileOptions& options, bool skip_nan) {
  detail::check_defined(op, x);
  if (!is_floating(x.dtype()))
    throw DTypeError(str(op, ": needs a floating tensor, got ", x, "; convert it with to()"));
  for (const double at : q)
    if (!(at >= 0 && at <= 1)) throw ValueError(str(op, ": q must be between 0 and 1, got ", at));
  const auto [lines, along] = lines_of(op, x, dim);
  const auto count = static_cast<std::int64_t>(q.size());
  const std::int64_t size = lines.shape()[along];
  const Tensor fractions =
      reshape(from_vector(q, {count}), with_size(Shape::filled(lines.rank(), 1), along, count)).to(x.device());
  const Tensor valid = known(lines, along);
  const Tensor last = skip_nan ? maximum(valid - 1, 0) : where(valid == size, size - 1, -1);
  // A line with NaN gets its last element, which is NaN, for every q.
  const Tensor position = where(last < 0, static_cast<double>(size - 1), fractions * last.to(DType::float64));
  const auto [first, wanted] = has_only_numbers(lines) ? needed(q, size) : Needed{0, size};
  const Tensor sorted = detail::ranks(lines, along, first, wanted).values;
  const Tensor y = interpolated(sorted, along, position - static_cast<double>(first), options.mode);
  const Tensor front = movedim(unsqueeze(y, along + 1), {along}, {0});
  return options.keep_dim && x.rank() > 0 ? front : squeeze(front, along + 1);
}

/// A value of x, whose gradient the elements equal to it share evenly.
struct SharedByEqual {
  static constexpr Traits traits{.name = "median"};
  TensorSpec result(const Tensor& value, const Tensor&) const { return spec_like(value); }
  Cost cost(const Tensor& value, const Tensor&) const { return {.bytes = 2.0 * static_cast<double>(value.itemsize())}; }
  void cpu(const Tensor& value, const Tensor&, Tensor& y) const { detail::copy_values(value, y); }
  void cuda(const Tensor& value, const Tensor&, Tensor& y) const { detail::copy_kernel_cuda(value, y); }
  Gradients<2> gradient(Grad g, Input<0> value, Input<1> x) const {
    const Tensor equal = logical_or(x == value, logical_and(isnan(x), isnan(value)));
    return {Tensor(), where(equal, g / sum(equal), 0)};
  }
};

}  // namespace

ValuesAndIndices median(const Tensor& x, std::int64_t dim, bool keep_dim) {
  const auto [lines, along] = lines_of("median", x, dim);
  const std::int64_t size = lines.shape()[along];
  if (has_only_numbers(lines)) return ranked(lines, along, (size - 1) / 2, keep_dim, x);
  const Tensor middle = where(known(lines, along) == size, (size - 1) / 2, size - 1);  // NaN is last
  return chosen(sort(lines, along), along, middle, keep_dim, x);
}

ValuesAndIndices nanmedian(const Tensor& x, std::int64_t dim, bool keep_dim) {
  const auto [lines, along] = lines_of("nanmedian", x, dim);
  if (has_only_numbers(lines)) return ranked(lines, along, (lines.shape()[along] - 1) / 2, keep_dim, x);
  const Tensor middle = floor_divide(maximum(known(lines, along) - 1, 0), 2);
  return chosen(sort(lines, along), along, middle, keep_dim, x);
}

Tensor median(const Tensor& x) {
  detail::check_defined("median", x);
  return x.numel() == 0 ? nothing("median", x) : apply(SharedByEqual{}, median(flatten(x).detach(), 0).values, x);
}

Tensor nanmedian(const Tensor& x) {
  detail::check_defined("nanmedian", x);
  return x.numel() == 0 ? nothing("nanmedian", x) : apply(SharedByEqual{}, nanmedian(flatten(x).detach(), 0).values, x);
}

ValuesAndIndices kthvalue(const Tensor& x, std::int64_t k, std::int64_t dim, bool keep_dim) {
  const auto [lines, along] = lines_of("kthvalue", x, dim);
  if (k < 1 || k > lines.shape()[along])
    throw ValueError(str("kthvalue: k must be between 1 and the size of dimension ", along, ", got ", k, " for ", x));
  return ranked(lines, along, k - 1, keep_dim, x);
}

ValuesAndIndices mode(const Tensor& x, std::int64_t dim, bool keep_dim) {
  const auto [lines, along] = lines_of("mode", x, dim);
  const auto [values, indices] = sort(transpose(lines, along, -1), -1);
  const Tensor sorted = values.detach();
  const std::int64_t size = sorted.size(-1);
  const Tensor before = narrow(sorted, -1, 0, size - 1);
  Tensor differs = before != narrow(sorted, -1, 1, size - 1);
  if (is_floating(x.dtype())) differs = logical_and(differs, before == before);  // NaN are equal here
  const Tensor is_start = cat({zeros_like(narrow(sorted, -1, 0, 1)).to(DType::boolean), differs}, -1);
  // The end of the longest run is farthest from its start.
  const Tensor places = arange(size, {.device = x.device()});
  const Tensor last = argmax(places - cummax(where(is_start, places, 0), -1).values, -1, true);
  return {reduced(transpose(gather(values, -1, last), along, -1), along, keep_dim, x),
          reduced(transpose(gather(indices, -1, last), along, -1), along, keep_dim, x)};
}

Tensor quantile(const Tensor& x, const std::vector<double>& q, std::int64_t dim, const QuantileOptions& options) {
  return quantiles("quantile", x, q, dim, options, false);
}

Tensor nanquantile(const Tensor& x, const std::vector<double>& q, std::int64_t dim, const QuantileOptions& options) {
  return quantiles("nanquantile", x, q, dim, options, true);
}

Tensor quantile(const Tensor& x, double q, const QuantileOptions& options) {
  detail::check_defined("quantile", x);
  const Tensor y = reshape(quantiles("quantile", flatten(x), {q}, 0, {.mode = options.mode}, false), {});
  return options.keep_dim ? reshape(y, Shape::filled(x.rank(), 1)) : y;
}

}  // namespace minima
