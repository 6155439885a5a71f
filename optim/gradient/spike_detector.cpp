#include <minima/optim/gradient/spike_detector.h>

#include <minima/io/counter.h>
#include <minima/io/state.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::optim {

SpikeDetector::SpikeDetector(const SpikeOptions& options) : options_(options) {
  if (options.window < 2 || options.warmup < 2 || options.warmup > options.window)
    throw ValueError(str("SpikeDetector: window and warmup must be at least 2, and warmup at most window, got ",
                         options.window, " and ", options.warmup));
  minima::detail::check_number("SpikeDetector", "z", options.z, minima::detail::positive);
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

State SpikeDetector::state_dict() const {
  std::vector<double> oldest_first = window_;
  if (!window_.empty())
    std::rotate(oldest_first.begin(), oldest_first.begin() + static_cast<std::ptrdiff_t>(next_ % window_.size()),
                oldest_first.end());
  State state;
  state.add("window", from_vector(oldest_first, {static_cast<std::int64_t>(oldest_first.size())}));
  state.set_number("last_z", last_z_);
  state.set_integer("spikes", spikes_);
  return state;
}

void SpikeDetector::load_state_dict(const State& state) {
  std::vector<double> window = state.tensor("window").to(DType::float64).to_vector<double>();
  if (!std::all_of(window.begin(), window.end(), [](double x) { return std::isfinite(x); }))
    throw ValueError("SpikeDetector: the state's window has a value that is not finite");
  const double last_z = state.number("last_z");
  spikes_ = minima::detail::counter(state, "spikes");
  const auto most = static_cast<std::ptrdiff_t>(options_.window), size = std::ssize(window);
  if (size > most) window.erase(window.begin(), window.end() - most);
  window_ = window;
  next_ = 0;
  last_z_ = last_z;
}

}  // namespace minima::optim
