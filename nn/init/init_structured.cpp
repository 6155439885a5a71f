#include <minima/autograd/mode.h>
#include <minima/nn/init/init.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/matmul/matmul.h>
#include <minima/ops/pointwise/arithmetic.h>
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
#include <numeric>

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

/// The same for few rows, one after the other.
void orthonormalise_panel(double* rows, std::int64_t count, std::int64_t length) {
  for (std::int64_t i = 0; i < count; ++i) {
    double* row = rows + i * length;
    for (std::int64_t j = 0; j < i; ++j) {
      const double* done = rows + j * length;
      const double overlap = std::inner_product(row, row + length, done, 0.0);
      for (std::int64_t k = 0; k < length; ++k) row[k] -= overlap * done[k];
    }
    const double norm = std::sqrt(std::inner_product(row, row + length, row, 0.0));
    for (std::int64_t k = 0; k < length; ++k) row[k] /= norm;
  }
}

/// Makes the rows of x [n, m], n ≤ m, orthonormal: Qᵀ of xᵀ = QR with positive diagonal of R. Gram-Schmidt in panels,
/// so that most of it is matrix products, and each panel twice, which is enough (Giraud, Langou and Rozložník 2005).
void orthonormalise_rows(const Tensor& x) {
  constexpr std::int64_t panel = 32;
  for (std::int64_t first = 0; first < x.size(0); first += panel) {
    const Tensor rows = narrow(x, 0, first, std::min(panel, x.size(0) - first)), done = narrow(x, 0, 0, first);
    for (int pass = 0; pass < 2; ++pass) {
      if (first > 0) sub_(rows, matmul(matmul(rows, transpose(done, 0, 1)), done));
      orthonormalise_panel(rows.data<double>(), rows.size(0), rows.size(1));
    }
  }
}

}  // namespace

void trunc_normal_(const Tensor& x, TruncatedNormal options, RandomGenerator* generator) {
  const auto [mean, std, low, high] = options;
  if (!(std > 0) || !(low < high))
    throw ValueError(
        str("trunc_normal_: needs std > 0 and low < high, not std = ", std, ", low = ", low, ", high = ", high));
  const NoGrad guard;
  Tensor draws = rand(x.shape(), {.dtype = float64}, generator);
  // In the right tail the CDF rounds to 1; mirror it to the left tail.
  const bool mirrored = low > mean;
  const double first = normal_cdf((mirrored ? mean - high : low - mean) / std);
  const double last = normal_cdf((mirrored ? mean - low : high - mean) / std);
  double* values = draws.data<double>();
  for (std::int64_t i = 0; i < draws.numel(); ++i) {
    const double z = normal_quantile(first + (last - first) * values[i]);
    values[i] = std::clamp(mean + std * (mirrored ? -z : z), low, high);
  }
  copy_(x, draws);
}

void eye_(const Tensor& x) {
  expect_rank(x, 2, 2, "eye_");
  const NoGrad guard;
  copy_(x, eye(x.size(0), x.size(1)));
}

void dirac_(const Tensor& x, std::int64_t groups) {
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
  copy_(x, values);
}

void orthogonal_(const Tensor& x, double gain, RandomGenerator* generator) {
  expect_rank(x, 2, Shape::inline_rank, "orthogonal_");
  if (x.numel() == 0) return;
  const NoGrad guard;
  const Tensor draws = randn({x.size(0), x.numel() / x.size(0)}, {.dtype = float64}, generator);
  const bool is_tall = draws.size(0) > draws.size(1);
  const Tensor rows = is_tall ? contiguous(transpose(draws, 0, 1)) : draws;
  orthonormalise_rows(rows);
  copy_(x, reshape((is_tall ? transpose(rows, 0, 1) : rows) * gain, x.shape()));
}

void sparse_(const Tensor& x, double sparsity, double std, RandomGenerator* generator) {
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
  copy_(x, values);
}

}  // namespace minima::nn::init
