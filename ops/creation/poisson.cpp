#include <minima/ops/creation/random.h>

#include <minima/autograd/mode.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/index.h>
#include <minima/ops/index/masked.h>
#include <minima/ops/index/select.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/bitwise.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/pointwise/rounding.h>
#include <minima/ops/special/gamma.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/random/generator.h>

#include <cmath>

namespace minima {

namespace {

constexpr double few = 10;

/// The number of terms of the cdf that a uniform number exceeds, for rates up to `few`: float64 vectors.
Tensor by_inversion(const Tensor& rate, RandomGenerator* generator) {
  constexpr int most = 80;  // beyond, the rest is below 1e-40
  const Tensor u = rand(rate.shape(), TensorOptions{.dtype = rate.dtype(), .device = rate.device()}, generator);
  Tensor term = exp(neg(rate)), cdf = term, count = zeros_like(rate);
  for (int k = 1; k <= most; ++k) {
    count = count + (u >= cdf).to(DType::float64);
    term = term * rate / k;
    cdf = cdf + term;
  }
  return count;
}

/// Hörmann's transformed rejection PTRS, for rates from `few` on.
Tensor by_rejection(const Tensor& rate, RandomGenerator* generator) {
  const TensorOptions options = TensorOptions{.dtype = rate.dtype(), .device = rate.device()};
  const Tensor result = zeros_like(rate);
  Tensor missing = arange(rate.numel(), {.device = rate.device()});
  while (missing.numel() > 0) {
    const Tensor lambda = index_select(rate, 0, missing), b = 0.931 + 2.53 * sqrt(lambda), a = 0.02483 * b - 0.059;
    const Tensor u = rand(missing.shape(), options, generator) - 0.5, v = 1 - rand(missing.shape(), options, generator);
    const Tensor us = 0.5 - abs(u), k = floor((2 * a / us + b) * u + lambda + 0.43);
    const Tensor log_ratio = log(v * (1.1239 + 1.1328 / (b - 3.4)) / (a / square(us) + b));
    const Tensor log_probability = k * log(lambda) - lambda - lgamma(clamp_min(k, 0) + 1);
    const Tensor surely = (us >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2));
    const Tensor allowed = (k >= 0) & ((us >= 0.013) | (v <= us));
    const Tensor taken = surely | (allowed & (log_ratio <= log_probability));
    index_put_(result, {masked_select(missing, taken)}, masked_select(k, taken));
    missing = masked_select(missing, logical_not(taken));
  }
  return result;
}

}  // namespace

Tensor poisson(const Tensor& rate, RandomGenerator* generator) {
  detail::check_defined("poisson", rate);
  if (!is_floating(rate.dtype()))
    throw DTypeError(str("poisson: needs a floating rate, got ", rate, "; convert it with to()"));
  const NoGrad constant;
  const Tensor wanted = reshape(rate, {-1}).to(DType::float64), is_valid = isfinite(wanted) & (wanted >= 0);
  const Tensor known = where(is_valid, wanted, few);
  const Tensor small = by_inversion(clamp_max(known, few), generator);
  const Tensor large = by_rejection(clamp_min(known, few), generator);
  const Tensor count = where(known >= few, large, small);
  return reshape(where(is_valid, count, std::nan("")), rate.shape()).to(rate.dtype());
}

}  // namespace minima
