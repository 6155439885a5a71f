#include <minima/ops/reduce/histogram.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/bitwise.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/differences.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/sort/searchsorted.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace minima {

namespace {

using BinRange = std::optional<std::pair<double, double>>;

void check_values(const char* op, const Tensor& x) {
  detail::check_defined(op, x);
  if (x.dtype() != DType::float32 && x.dtype() != DType::float64)
    throw DTypeError(str(op, ": needs float32 or float64, got ", x, "; convert it with to()"));
}

void check_weight(const char* op, const Tensor& x, const Shape& shape, const Tensor& weight) {
  if (weight.defined() && (weight.shape() != shape || weight.dtype() != x.dtype()))
    throw ShapeError(str(op, ": needs weights ", x.dtype(), " ", shape, ", got ", weight));
}

Tensor edges_of(const char* op, const Tensor& x, std::int64_t bins, const BinRange& range) {
  if (bins < 1) throw ValueError(str(op, ": bins must be positive, got ", bins));
  detail::expect_room(bins, sizeof(double), op);
  auto [low, high] = range.value_or(std::pair{0.0, 1.0});
  if (!range && x.numel() > 0) {
    const auto [least, most] = aminmax(x);
    low = least.item<double>(), high = most.item<double>();
  }
  if (!std::isfinite(low) || !std::isfinite(high) || low > high)
    throw ValueError(str(op, ": the limits must be finite and in order, got ", low, " and ", high));
  if (low == high) low -= 0.5, high += 0.5;
  return linspace(low, high, bins + 1, {.dtype = x.dtype(), .device = x.device()});
}

/// The interval of each element, or the number of intervals for those outside.
Tensor intervals(const Tensor& x, const Tensor& edges) {
  const std::int64_t bins = edges.numel() - 1;
  const Tensor place = searchsorted(edges, x, true) - 1, last = edges[bins];
  return where((x >= edges[0]) & (x <= last), where(x == last, bins - 1, place), bins);
}

/// The sums of weights, or counts, of 0 … count - 1 in `index`.
Tensor counted(const Tensor& index, const Tensor& weight, std::int64_t count, DType dtype) {
  const Tensor places = reshape(index, {-1});
  const Tensor all = weight.defined() ? bincount(places, reshape(weight.detach(), {-1}), count + 1)
                                      : bincount(places, count + 1).to(dtype);
  return narrow(all, 0, 0, count);
}

Histogram finish(const Tensor& x, const Tensor& edges, const HistogramOptions& options) {
  const std::int64_t bins = edges.numel() - 1;
  const Tensor counts = counted(intervals(x, edges), options.weight, bins, x.dtype());
  if (!options.density) return {counts, edges};
  return {counts / sum(counts) / diff(edges), edges};
}

}  // namespace

Histogram histogram(const Tensor& x, std::int64_t bins, const HistogramOptions& options) {
  constexpr const char* op = "histogram";
  check_values(op, x);
  check_weight(op, x, x.shape(), options.weight);
  const NoGrad constant;
  return finish(x.detach(), edges_of(op, x.detach(), bins, options.range), options);
}

Histogram histogram(const Tensor& x, const Tensor& edges, const HistogramOptions& options) {
  constexpr const char* op = "histogram";
  check_values(op, x);
  detail::check_defined(op, edges, 1);
  check_weight(op, x, x.shape(), options.weight);
  if (edges.rank() != 1 || edges.numel() < 2 || edges.dtype() != x.dtype())
    throw ShapeError(str(op, ": needs edges ", x.dtype(), " [B + 1] of at least one interval, got ", edges));
  const NoGrad constant;
  return finish(x.detach(), edges.detach(), options);
}

Histogramdd histogramdd(const Tensor& x, const std::vector<std::int64_t>& bins, const HistogramddOptions& options) {
  constexpr const char* op = "histogramdd";
  check_values(op, x);
  const auto dims = static_cast<std::int64_t>(bins.size());
  if (x.rank() != 2 || dims == 0 || x.size(1) != dims)
    throw ShapeError(str(op, ": needs points [N, ", dims, "] for ", dims, " numbers of bins, got ", x));
  check_weight(op, x, {x.size(0)}, options.weight);
  if (!options.ranges.empty() && options.ranges.size() != bins.size())
    throw ValueError(str(op, ": needs no ranges or ", dims, ", got ", options.ranges.size()));
  const NoGrad constant;
  Histogramdd result;
  Shape shape;
  std::int64_t cells = 1;
  for (const std::int64_t count : bins) {
    if (count < 1) throw ValueError(str(op, ": bins must be positive, got ", count));
    detail::expect_room(count, sizeof(double) * static_cast<std::size_t>(cells), op);
    cells *= count;
    shape.push_back(count);
  }
  Tensor cell, outside;
  for (std::int64_t dim = 0; dim < dims; ++dim) {
    const auto i = static_cast<std::size_t>(dim);
    const Tensor values = contiguous(select(x.detach(), 1, dim));
    result.edges.push_back(edges_of(op, values, bins[i], options.ranges.empty() ? BinRange() : options.ranges[i]));
    const Tensor place = intervals(values, result.edges.back()), beyond = place == bins[i];
    cell = dim == 0 ? place : cell * bins[i] + place;
    outside = dim == 0 ? beyond : outside | beyond;
  }
  result.counts = reshape(counted(where(outside, cells, cell), options.weight, cells, x.dtype()), shape);
  if (!options.density) return result;
  result.counts = result.counts / sum(result.counts);
  for (std::int64_t dim = 0; dim < dims; ++dim) {
    Shape along = Shape::filled(static_cast<int>(dims), 1);
    along[static_cast<int>(dim)] = -1;
    result.counts = result.counts / reshape(diff(result.edges[static_cast<std::size_t>(dim)]), along);
  }
  return result;
}

}  // namespace minima
