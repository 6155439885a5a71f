#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <vector>

namespace minima::optim {

struct OutlierOptions {
  std::int64_t window = 128;  ///< values that are remembered
  double z = 6;               ///< standard deviations above their mean that make one an outlier
  std::int64_t warmup = 20;   ///< values before anything is one
};

/// Watches a loss or a gradient norm for values far above those before it, or not finite, so that a step can be left
/// out:
///
///     optim::OutlierGuard guard;
///     const Tensor norm = optim::clip_grad_norm_(net.parameters(), 1.0);
///     if (!guard.is_outlier(norm.item<double>())) optimizer.step();
///
/// Reading the value waits for the device; give it the loss of the step before where that matters. Outliers do not
/// enter the window.
class MINIMA_API OutlierGuard {
 public:
  explicit OutlierGuard(const OutlierOptions& options = {});

  bool is_outlier(double value);
  /// How many standard deviations the last value was above the mean; 0 during the warm-up.
  double last_z() const { return last_z_; }
  std::int64_t outliers() const { return outliers_; }

 private:
  OutlierOptions options_;
  std::vector<double> window_;
  std::size_t next_ = 0;
  double last_z_ = 0;
  std::int64_t outliers_ = 0;
};

}  // namespace minima::optim
