#pragma once

#include <minima/autograd/mode.h>

namespace torch::autograd {

/// minima's anomaly mode always looks for NaN. With check_nan = false it is off instead: errors then lack the place of
/// the forward call.
struct AnomalyMode {
  static bool is_enabled() { return minima::detail::mode().anomaly; }
  static bool should_check_nan() { return is_enabled(); }
  static void set_enabled(bool enabled, bool check_nan = true) {
    minima::detail::mode().anomaly = enabled && check_nan;
  }
};

class DetectAnomalyGuard {
 public:
  explicit DetectAnomalyGuard(bool check_nan = true) : previous_(AnomalyMode::is_enabled()) {
    AnomalyMode::set_enabled(true, check_nan);
  }
  ~DetectAnomalyGuard() { AnomalyMode::set_enabled(previous_); }
  DetectAnomalyGuard(const DetectAnomalyGuard&) = delete;
  DetectAnomalyGuard& operator=(const DetectAnomalyGuard&) = delete;

 private:
  bool previous_;
};

}  // namespace torch::autograd
