#include <minima/train/regression_metrics.h>

#include <minima/autograd/mode.h>
#include <minima/ops/core/op_support.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/checked.h>
#include <minima/train/metrics.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima {

// The sums: of |y - p|, (y - p)², y and y² for each output, then the number of samples.

namespace {

std::int64_t sums_of(std::int64_t outputs) {
  if (outputs < 1) throw ValueError(str("RegressionMetrics: needs at least one output, got ", outputs));
  return detail::checked_numel({4, outputs}, "RegressionMetrics") + 1;
}

}  // namespace

RegressionMetrics::RegressionMetrics(std::int64_t outputs)
    : MetricOfSums("RegressionMetrics", sums_of(outputs)), outputs_(outputs) {}

void RegressionMetrics::add(const Tensor& predictions, const Tensor& target) {
  const NoGrad guard;
  detail::check_defined(name_, predictions);
  detail::check_defined(name_, target, 1);
  const bool fits =
      predictions.rank() == 2 ? predictions.size(1) == outputs_ : predictions.rank() == 1 && outputs_ == 1;
  if (!fits || target.shape() != predictions.shape())
    throw ShapeError(str("RegressionMetrics: predictions and target must both be ", outputs_ == 1 ? "[N] or " : "",
                         "[N, ", outputs_, "], got ", predictions, " and ", target));
  if (target.numel() == 0) return;
  const auto rows = [&](const Tensor& x) { return reshape(x.detach().to(DType::float64), {-1, outputs_}); };
  const Tensor y = rows(target), error = y - rows(predictions);
  const Tensor sums = sum(stack({abs(error), square(error), y, square(y)}), {1});
  add_sums(cat({flatten(sums), full({1}, static_cast<double>(y.size(0)), {.dtype = y.dtype(), .device = y.device()})}));
}

namespace {

double averaged(const std::vector<double>& sums, std::size_t first, std::size_t outputs) {
  double total = 0;
  for (std::size_t i = 0; i < outputs; ++i) total += sums[first + i];
  return total / (sums.back() * static_cast<double>(outputs));
}

double r2_of(double squared_error, double sum, double sum_of_squares, double samples) {
  const double rounding = 64 * 2.2e-16 * sum_of_squares, spread = sum_of_squares - sum * sum / samples;
  if (spread > rounding || std::isnan(spread)) return 1 - squared_error / spread;
  return squared_error == 0 ? 1 : 0;
}

}  // namespace

double RegressionMetrics::mae() const { return averaged(sums(), 0, static_cast<std::size_t>(outputs_)); }
double RegressionMetrics::rmse() const { return std::sqrt(mse()); }
double RegressionMetrics::mse() const {
  const auto outputs = static_cast<std::size_t>(outputs_);
  return averaged(sums(), outputs, outputs);
}

double RegressionMetrics::r2() const {
  const std::vector<double> all = sums();
  if (all.back() < 2) return std::nan("");
  const auto outputs = static_cast<std::size_t>(outputs_);
  double total = 0;
  for (std::size_t i = 0; i < outputs; ++i)
    total += r2_of(all[outputs + i], all[2 * outputs + i], all[3 * outputs + i], all.back());
  return total / static_cast<double>(outputs);
}

}  // namespace minima
