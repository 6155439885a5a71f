#include <minima/optim/gradient/spike_detector.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace minima::optim {

SpikeDetector::SpikeDetector(const SpikeOptions& options) : options_(options) {
  if (options.window < 2 || options.warmup < 2 || options.warmup > options.window)
    throw ValueError(str("SpikeDetector: window and warmup must be at least 2, and warmup at most window, got ",
                         options.window, " and ", options.warmup));
}

bool SpikeDetector::is_spike(double value) {
  last_z_ = 0;
  if (!std::isfinite(value)) {
    last_z_ = INFINITY;
  } else if (window_.size() >= static_cast<std::size_t>(options_.warmup)) {
    const auto count = static_cast<double>(window_.size());
    double mean = 0, variance = 0;
    for (const double x : window_) mean += x / count;
    for (const double x : window_) variance += (x - mean) * (x - mean) / (count - 1);
    // A floor, so that after constant values small changes are not spikes.
    const double deviation = std::max(std::sqrt(variance), 1e-3 * std::fabs(mean));
    last_z_ = deviation > 0 ? (value - mean) / deviation : 0;
  }
  if (last_z_ > options_.z) {
    ++spikes_;
    return true;
  }
  if (window_.size() < static_cast<std::size_t>(options_.window)) window_.push_back(value);
  else window_[next_++ % window_.size()] = value;
  return false;
}

}  // namespace minima::optim
