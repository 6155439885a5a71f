#pragma once

#include <minima/io/state.h>
#include <minima/tensor/base/api.h>

#include <cstdint>
#include <vector>

namespace minima::optim {

struct SpikeOptions {
  std::int64_t window = 128;  ///< number of recent values in the statistics
  double z = 6;               ///< threshold, in standard deviations above the mean; positive
  std::int64_t warmup = 20;   ///< values to collect before any counts as a spike
};

/// Detects loss spikes: values of a loss or gradient norm that are far above the recent mean, or not finite, so that
/// the step can be skipped.
///
///     optim::SpikeDetector detector;
///     const Tensor norm = optim::clip_grad_norm_(net.parameters(), 1.0);
///     if (!detector.is_spike(norm.item<double>())) optimizer.step();
///
/// Reading the value synchronises with the device; pass the previous step's loss if that matters. Spikes do not enter
/// the window.
class MINIMA_API SpikeDetector {
 public:
  explicit SpikeDetector(const SpikeOptions& options = {});

  bool is_spike(double value);
  /// Standard deviations of the last value above the mean; 0 during the warm-up.
  double last_z() const { return last_z_; }
  std::int64_t spikes() const { return spikes_; }

  State state_dict() const;
  /// Keeps the newest values of a state with a larger window.
  void load_state_dict(const State& state);

 private:
  SpikeOptions options_;
  std::vector<double> window_;
  std::size_t next_ = 0;
  double last_z_ = 0;
  std::int64_t spikes_ = 0;
};

}  // namespace minima::optim
