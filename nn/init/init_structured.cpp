#include <minima/autograd/mode.h>
#include <minima/nn/init/init.h>
#include <minima/nn/module/deferred.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/creation/random_range.h>
#include <minima/ops/linalg/factorisations.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/view/diagonal.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

// Initialisers computed on the CPU in double, then copied to x.

namespace minima::nn::init {

namespace {

void expect_rank(const Tensor& x, int low, int high, const char* name) {
  if (!x.defined() || x.rank() < low || x.rank() > high)
    throw ShapeError(
        str(name, ": needs a tensor of rank ", low == high ? str(low) : str(low, " to ", high), ", not ", x));
}

/// x with P(normal < x) = p, by Newton's method on the distribution function; ±∞ at 0 and 1.
double normal_quantile(double p) {
  if (p <= 0 || p >= 1) return p <= 0 ? -INFINITY : INFINITY;
  if (p > 0.5) return -normal_quantile(1 - p);
  // log P is concave, so starting left of the root, every step stays left of it.
  const double s = std::sqrt(-2 * std::log(p));
  double x = -s;
  for (int step = 0; step < 60; ++step) {
    const double value = 0.5 * std::erfc(-x * M_SQRT1_2);
    const double slope = std::exp(-0.5 * x * x) / std::sqrt(2 * M_PI);
    const double change = (std::log(p) - std::log(value)) * value / slope;
    x += change;
    if (std::abs(change) < 1e-15 * (1 + std::abs(x))) break;
  }
  return x;
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x * M_SQRT1_2); }

/// Turns uniform numbers, float64 on the CPU, into truncated normal ones.
void truncate_normal(const Tensor& draws, const TruncatedNormal& options) {
  const auto [mean, std, low, high] = options;
  // In the right tail the CDF rounds to 1; mirror it to the left tail.
  const bool mirrored = low > mean;
  const double first = normal_cdf((mirrored ? mean - high : low - mean) / std);
  const double last = normal_cdf((mirrored ? mean - low : high - mean) / std);
  double* values = draws.data<double>();
  for (std::int64_t i = 0; i < draws.numel(); ++i) {
    const double z = normal_quantile(first + (last - first) * values[i]);
    values[i] = std::clamp(mean + std * (mirrored ? -z : z), low, high);
  }
}

/// Writes to x, which gets memory if its initialisation was deferred.
const Tensor& assign(const Tensor& x, const Tensor& values) {
  if (detail::find_deferred(x)) detail::give_memory(x);
  return copy_(x, values);
}

}  // namespace

const Tensor& trunc_normal_(const Tensor& x, TruncatedNormal options, RandomGenerator* generator) {
  const auto [mean, std, low, high] = options;
  if (!std::isfinite(mean) || !(std > 0) || !std::isfinite(std) || !(low < high))
    throw ValueError(str("trunc_normal_: needs a finite mean and std > 0, and low < high, not mean = ", mean,
                         ", std = ", std, ", low = ", low, ", high = ", high));
  const NoGrad guard;
  if (detail::is_to_defer(x))
    return detail::defer(
        x, str("normal with mean ", mean, " and standard deviation ", std, ", truncated to ", low, " to ", high),
        [options](const Tensor& out, std::int64_t begin, RandomGenerator::Position start) {
          const Tensor draws = empty({out.numel()}, {.dtype = float64});
          minima::detail::draw_uniform_range(draws, begin, start, 0, 1);
          truncate_normal(draws, options);
          copy_(out, draws);
        },
        generator, minima::detail::random_counters(float64, x.numel()));
  const Tensor draws = rand(x.shape(), {.dtype = float64}, generator);
  truncate_normal(draws, options);
  return copy_(x, draws);
}

const Tensor& eye_(const Tensor& x) {
  expect_rank(x, 2, 2, "eye_");
  const NoGrad guard;
  return assign(x, eye(x.size(0), x.size(1)));
}

const Tensor& dirac_(const Tensor& x, std::int64_t groups) {
  expect_rank(x, 3, 5, "dirac_");
  if (groups < 1 || x.size(0) % groups != 0)
    throw ValueError(str("dirac_: groups = ", groups, " must divide the ", x.size(0), " output channels"));
  const NoGrad guard;
  const Tensor values = zeros(x.shape());
  std::int64_t field = 1, centre = 0;
  for (int i = 2; i < x.rank(); ++i) {
    field *= x.size(i);
    centre = centre * x.size(i) + x.size(i) / 2;
  }
  const std::int64_t out = x.size(0) / groups, in = x.size(1);
  for (std::int64_t group = 0; group < groups; ++group)
    for (std::int64_t i = 0; i < std::min(out, in); ++i)
      values.data<float>()[((group * out + i) * in + i) * field + centre] = 1;
  return assign(x, values);
}

const Tensor& orthogonal_(const Tensor& x, double gain, RandomGenerator* generator) {
  expect_rank(x, 2, Shape::inline_rank, "orthogonal_");
  if (x.numel() == 0) return x;
  const NoGrad guard;
  const Tensor draws = reshape(randn(x.shape(), {.dtype = float64}, generator), {x.size(0), -1});
  const bool is_wide = draws.size(0) < draws.size(1);
  const auto [q, r] = linalg::qr(is_wide ? transpose(draws, 0, 1) : draws);
  const Tensor columns = q * where(diagonal(r) < 0, -gain, full({}, gain, {.dtype = float64}));
  return assign(x, reshape(is_wide ? transpose(columns, 0, 1) : columns, x.shape()));
}

const Tensor& sparse_(const Tensor& x, double sparsity, double std, RandomGenerator* generator) {
  expect_rank(x, 2, 2, "sparse_");
  if (!(sparsity >= 0 && sparsity <= 1))
    throw ValueError(str("sparse_: sparsity must be between 0 and 1, not ", sparsity));
  const NoGrad guard;
  const std::int64_t rows = x.size(0), columns = x.size(1);
  const auto zeros = static_cast<std::int64_t>(std::ceil(sparsity * static_cast<double>(rows)));
  const Tensor values = randn(x.shape(), {.dtype = float64}, generator);
  double* data = values.data<double>();
  for (std::int64_t column = 0; column < columns; ++column) {
    const Tensor order = randperm(rows, generator);
    for (std::int64_t row = 0; row < rows; ++row)
      data[row * columns + column] *= order.data<std::int64_t>()[row] < zeros ? 0 : std;
  }
  return assign(x, values);
}

}  // namespace minima::nn::init
