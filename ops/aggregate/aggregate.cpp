#include <minima/ops/aggregate/aggregate.h>

#include <minima/ops/aggregate/with_options.h>
#include <minima/ops/cat/cat.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/copy/in_full.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/diagonal/diagonal.h>
#include <minima/ops/matmul/matmul.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/reduce_kernels.h>
#include <minima/ops/reduce/reduced_shape.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/scan/scan.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace minima {

namespace {

void check_floating(const char* op, const Tensor& x) {
  detail::check_defined(op, x);
  if (!is_floating(x.dtype()))
    throw DTypeError(str(op, ": needs a floating tensor, got ", x, "; convert it with to()"));
}

using detail::in_full;

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

/// The areas of the trapezoids between neighbours, times 2 without `x`.
Tensor areas(const char* op, const Tensor& y, const Tensor* x, std::int64_t dim) {
  check_floating(op, y);
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
  const Tensor wide = is_floating(x->dtype()) ? cast(*x, dtype) : *x;
  const Tensor coordinates = expand(is_vector ? reshape(wide, shape) : wide, y.shape());
  const auto [from, to] = neighbours(coordinates, along);
  return (to - from) * heights / 2;
}

struct NanSum {
  static constexpr Traits traits{.name = "nansum"};
  Shape dims;  ///< sorted
  bool keep_dim;
  TensorSpec result(const Tensor& x) const {
    return spec_of(reduced_shape(x.shape(), dims, keep_dim), x.dtype(), x.device());
  }
  Cost cost(const Tensor& x) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = count, .bytes = count * static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, Tensor& y) const { detail::nansum_kernel_cpu(x, dims, y); }
  void cuda(const Tensor& x, Tensor& y) const { detail::nansum_kernel_cuda(x, dims, y); }
  Tensor gradient(Grad g, Input<0> x) const {
    return where(isnan(x), 0, expand(reshape(g, reduced_shape(x.shape(), dims, true)), x.shape()));
  }
};

/// A weight for each of `count` observations, in `dtype`.
Tensor observation_weights(const char* name, const Tensor& weights, std::int64_t count, bool whole, DType dtype) {
  if (weights.rank() != 1 || weights.numel() != count)
    throw ShapeError(
        str("cov: ", name, " must have one element for each of the ", count, " observations, got ", weights));
  if (whole ? !is_integer(weights.dtype()) : !is_floating(weights.dtype()))
    throw DTypeError(str("cov: ", name, " must be ", whole ? "integers" : "floating", ", got ", weights));
  if (!detail::on_cuda(weights) && any(weights.detach() < 0).item<bool>())
    throw ValueError(str("cov: ", name, " must not be negative, but ", weights, " has such elements"));
  return cast(weights, dtype);
}

}  // namespace

Tensor nansum(const Tensor& x, const Shape& dims, bool keep_dim) {
  detail::check_defined("nansum", x);
  const Shape along = wrap_dims(dims, x.rank(), "nansum");
  const detail::WithoutAutocast guard;
  return is_floating(x.dtype()) ? apply(NanSum{along, keep_dim}, x) : sum(x, along, keep_dim);
}

Tensor nanmean(const Tensor& x, const Shape& dims, bool keep_dim) {
  check_floating("nanmean", x);
  const Shape along = wrap_dims(dims, x.rank(), "nanmean");
  const detail::WithoutAutocast guard;
  const Tensor missing = isnan(x);
  return sum(where(missing, 0, x), along, keep_dim) / sum(logical_not(missing), along, keep_dim);
}

Extremes aminmax(const Tensor& x, const Shape& dims, bool keep_dim) {
  detail::check_defined("aminmax", x);
  const Shape along = wrap_dims(dims, x.rank(), "aminmax");
  return {amin(x, along, keep_dim), amax(x, along, keep_dim)};
}

StdMean std_mean(const Tensor& x, const Shape& dims, double correction, bool keep_dim) {
  check_floating("std_mean", x);
  const Shape along = wrap_dims(dims, x.rank(), "std_mean");
  return {stddev(x, along, correction, keep_dim), mean(x, along, keep_dim)};
}

Tensor cov(const Tensor& x, double correction) { return cov(x, {.correction = correction, .fweights = {}}); }

Tensor cov(const Tensor& x, const CovOptions& options) {
  check_floating("cov", x);
  detail::check_number("cov", "correction", options.correction, detail::finite);
  if (x.rank() > 2) throw ShapeError(str("cov: x must be a matrix or a vector, got ", x));
  const detail::WithoutAutocast guard;
  const Tensor wide = in_full(x), rows = x.rank() < 2 ? reshape(wide, {1, x.numel()}) : wide;
  const std::int64_t count = rows.shape()[1];
  const auto weights = [&](const char* name, const Tensor& given, bool whole) {
    return given.defined() ? observation_weights(name, given, count, whole, rows.dtype()) : Tensor();
  };
  const Tensor counts = weights("fweights", options.fweights, true),
               sizes = weights("aweights", options.aweights, false);
  const Tensor weight = !sizes.defined() ? counts : counts.defined() ? counts * sizes : sizes;
  Tensor products;
  if (!weight.defined()) {
    const Tensor deviations = rows - mean(rows, {-1}, true);
    products = matmul(deviations, t(deviations)) / std::fmax(static_cast<double>(count) - options.correction, 0);
  } else {
    const Tensor total = sum(weight), deviations = rows - sum(rows * weight, {-1}, true) / total;
    const Tensor lost = sizes.defined() ? sum(weight * sizes) / total * options.correction
                                        : full({}, options.correction, {.dtype = rows.dtype(), .device = x.device()});
    products = matmul(deviations, t(deviations * weight)) / clamp_min(total - lost, 0);
  }
  return cast(rows.shape()[0] == 1 ? reshape(products, {}) : products, x.dtype());
}

Tensor corrcoef(const Tensor& x) {
  check_floating("corrcoef", x);
  if (x.rank() > 2) throw ShapeError(str("corrcoef: x must be a matrix or a vector, got ", x));
  const detail::WithoutAutocast guard;
  const Tensor covariance = cov(in_full(x));
  if (covariance.rank() == 0) return cast(covariance / covariance, x.dtype());
  const Tensor deviation = sqrt(diagonal(covariance));
  return cast(clamp(covariance / unsqueeze(deviation, 1) / unsqueeze(deviation, 0), -1, 1), x.dtype());
}

Tensor diff(const Tensor& x, std::int64_t times, std::int64_t dim) {
  constexpr const char* op = "diff";
  detail::check_defined(op, x);
  const int along = dim_of(op, x, dim);
  if (times < 0) throw ValueError(str(op, ": times must not be negative, got ", times));
  Tensor y = x;
  for (; times > 0 && y.shape()[along] > 0; --times) {
    const auto [first, second] = neighbours(y, along);
    y = y.dtype() == DType::boolean ? second != first : second - first;
  }
  return y;
}

Tensor diff(const Tensor& x, const DiffOptions& options) {
  detail::check_defined("diff", x);
  const int along = dim_of("diff", x, options.dim);
  std::vector<Tensor> parts{x};
  if (options.prepend.defined()) parts.insert(parts.begin(), options.prepend);
  if (options.append.defined()) parts.push_back(options.append);
  return diff(options.times == 0 || parts.size() == 1 ? x : cat(parts, along), options.times, along);
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
