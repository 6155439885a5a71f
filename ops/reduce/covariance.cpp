#include <minima/ops/reduce/statistics.h>

#include <minima/ops/copy/casts.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/unobserved.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/kernels.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/diagonal.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>

#include <cmath>
#include <cstdint>

namespace minima {

namespace {

/// A weight for each of `count` observations, in `dtype`.
Tensor observation_weights(const char* name, const Tensor& weights, std::int64_t count, bool whole, DType dtype) {
  if (weights.rank() != 1 || weights.numel() != count)
    throw ShapeError(
        str("cov: ", name, " must have one element for each of the ", count, " observations, got ", weights));
  if (whole ? !is_integer(weights.dtype()) : !is_floating(weights.dtype()))
    throw DTypeError(str("cov: ", name, " must be ", whole ? "integers" : "floating", ", got ", weights));
  if (!detail::on_cuda(weights) && detail::unobserved([&] { return any(weights.detach() < 0).item<bool>(); }))
    throw ValueError(str("cov: ", name, " must not be negative, but ", weights, " has such elements"));
  return cast(weights, dtype);
}

}  // namespace

Tensor cov(const Tensor& x, double correction) { return cov(x, {.correction = correction, .fweights = {}}); }

Tensor cov(const Tensor& x, const CovOptions& options) {
  detail::check_floating("cov", x);
  detail::check_number("cov", "correction", options.correction, detail::finite);
  if (x.rank() > 2) throw ShapeError(str("cov: x must be a matrix or a vector, got ", x));
  const detail::WithoutAutocast guard;
  const Tensor wide = detail::in_full(x), rows = x.rank() < 2 ? reshape(wide, {1, x.numel()}) : wide;
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
  detail::check_floating("corrcoef", x);
  if (x.rank() > 2) throw ShapeError(str("corrcoef: x must be a matrix or a vector, got ", x));
  const detail::WithoutAutocast guard;
  const Tensor covariance = cov(detail::in_full(x));
  if (covariance.rank() == 0) return cast(covariance / covariance, x.dtype());
  const Tensor deviation = sqrt(diagonal(covariance));
  return cast(clamp(covariance / unsqueeze(deviation, 1) / unsqueeze(deviation, 0), -1, 1), x.dtype());
}

}  // namespace minima
