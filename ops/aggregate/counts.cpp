#include <minima/ops/aggregate/aggregate.h>

#include <minima/ops/creation/creation.h>
#include <minima/ops/gather/gather.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/rounding.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/searchsorted/searchsorted.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace minima {

namespace {

std::int64_t bins_of(const Tensor& x, std::int64_t min_length) {
  if (x.rank() != 1 || x.dtype() != DType::int64)
    throw DTypeError(str("bincount: x must be an int64 vector, got ", x, "; convert it with to()"));
  if (min_length < 0) throw ValueError(str("bincount: min_length must not be negative, got ", min_length));
  if (x.numel() == 0) return min_length;
  const auto [least, most] = aminmax(x);
  if (const auto smallest = least.item<std::int64_t>(); smallest < 0)
    throw ValueError(str("bincount: x must not have negative elements, got ", smallest));
  const auto largest = most.item<std::int64_t>();
  if (largest == INT64_MAX) throw ValueError(str("bincount: there is no room for element ", largest));
  return std::max(min_length, largest + 1);
}

/// Σ of the weights at each index; those at `bins` are dropped.
Tensor counted(const Tensor& index, const Tensor& weights, std::int64_t bins) {
  const Tensor sums = zeros({bins + 1}, {.dtype = weights.dtype(), .device = weights.device()});
  return narrow(scatter_add(sums, 0, index, weights), 0, 0, bins);
}

/// The number of elements of each value of x, int64 [N] and in range. On the CPU.
struct Bincount {
  static constexpr Traits traits{.name = "bincount"};
  std::int64_t bins;
  TensorSpec result(const Tensor& x) const { return spec_of({bins}, DType::int64, x.device()); }
  Cost cost(const Tensor& x) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = count, .bytes = 8 * (count + static_cast<double>(bins))};
  }
  void cpu(const Tensor& x, Tensor& y) const {
    const Tensor values = detail::arranged(x, Layout::contiguous(x.shape()));
    // Equal neighbours would wait for each other's sum, so each of four has its own.
    const std::int64_t together = bins <= 4096 ? 4 : 1, size = x.numel();
    const Tensor sums = zeros({together, bins}, {.dtype = DType::int64});
    const auto* const from = values.data<std::int64_t>();
    auto* const to = sums.data<std::int64_t>();
    std::int64_t i = 0;
    for (; i + together <= size; i += together)
      for (std::int64_t k = 0; k < together; ++k) ++to[k * bins + from[i + k]];
    for (; i < size; ++i) ++to[from[i]];
    detail::copy_values(sum(sums, {0}), y);
  }
};

}  // namespace

Tensor bincount(const Tensor& x, std::int64_t min_length) {
  detail::check_defined("bincount", x);
  const std::int64_t bins = bins_of(x, min_length);
  if (!detail::on_cuda(x)) return apply(Bincount{bins}, x);
  return counted(x, expand(ones({}, {.dtype = DType::int64, .device = x.device()}), x.shape()), bins);
}

Tensor bincount(const Tensor& x, const Tensor& weights, std::int64_t min_length) {
  constexpr const char* op = "bincount";
  detail::check_defined(op, x);
  detail::check_defined(op, weights, 1);
  if (weights.shape() != x.shape())
    throw ShapeError(str(op, ": needs a weight for each element of x, got ", weights, " for ", x));
  if (weights.dtype() == DType::boolean)
    throw DTypeError(str(op, ": weights must not be bool, got ", weights, "; convert them with to()"));
  return counted(x, weights, bins_of(x, min_length));
}

Tensor histc(const Tensor& x, std::int64_t bins, double low, double high) {
  constexpr const char* op = "histc";
  detail::check_defined(op, x);
  if (!is_floating(x.dtype()))
    throw DTypeError(str(op, ": needs a floating tensor, got ", x, "; convert it with to()"));
  if (bins < 1) throw ValueError(str(op, ": bins must be positive, got ", bins));
  if (low == high && x.numel() > 0) {
    const auto [least, most] = aminmax(x.detach());
    low = least.item<double>();
    high = most.item<double>();
  }
  if (low == high) {
    low -= 1;
    high += 1;
  }
  if (!std::isfinite(low) || !std::isfinite(high) || low > high)
    throw ValueError(str(op, ": the limits must be finite and in order, got ", low, " and ", high));
  detail::expect_room(bins, sizeof(double), op);
  const NoGrad constant;
  const Tensor values = flatten(x.detach().to(is_half(x.dtype()) ? DType::float32 : x.dtype()));
  const Tensor is_inside = logical_and(values >= low, values <= high);
  const Tensor bin = floor((where(is_inside, values, low) - low) / (high - low) * static_cast<double>(bins));
  const Tensor index = where(is_inside, minimum(bin.to(DType::int64), bins - 1), bins);
  return counted(index, expand(ones({}, {.dtype = values.dtype(), .device = x.device()}), values.shape()), bins)
      .to(x.dtype());
}

Tensor bucketize(const Tensor& x, const Tensor& boundaries, bool right) {
  constexpr const char* op = "bucketize";
  detail::check_defined(op, x);
  detail::check_defined(op, boundaries, 1);
  if (boundaries.rank() != 1) throw ShapeError(str(op, ": boundaries must be a vector, got ", boundaries));
  if (boundaries.dtype() != x.dtype())
    throw DTypeError(
        str(op, ": boundaries must have the dtype of x ", x, ", got ", boundaries, "; convert them with to()"));
  return reshape(searchsorted(boundaries, flatten(x), right), x.shape());
}

}  // namespace minima
