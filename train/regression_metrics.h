#pragma once

#include <minima/train/metrics.h>

namespace minima {

/// Errors of predicted numbers, accumulated on the device in float64:
///
///     RegressionMetrics metrics;
///     for (…) metrics.add(net(x), y);
///     log(metrics.mae(), metrics.r2());
class MINIMA_API RegressionMetrics : public MetricOfSums {
 public:
  /// `outputs`: D, the numbers predicted for a sample. Throws ValueError if it is below 1.
  explicit RegressionMetrics(std::int64_t outputs = 1);
  /// Predictions and target, both [N, D], or [N] for one output; flatten others. Throws ShapeError, also for [N]
  /// against [N, 1], which would broadcast.
  void add(const Tensor& predictions, const Tensor& target);

  // Means over samples and outputs; NaN before the first sample. Each synchronises with the device.
  double mae() const;   ///< mean absolute error
  double mse() const;   ///< mean squared error
  double rmse() const;  ///< √mse
  /// The coefficient of determination 1 - Σ (y - p)² / Σ (y - ȳ)², meaned over the outputs. As in scikit-learn's
  /// r2_score an output whose targets are all equal counts 1 if predicted exactly and else 0, and fewer than two
  /// samples give NaN. Equal means that their spread is below 1e-7 of their size, because it is computed from Σ y and Σ
  /// y².
  double r2() const;

 private:
  std::int64_t outputs_;
};

}  // namespace minima
