#include <minima/train/monitor/alerts.h>

#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/nvml.h>
#include <minima/train/monitor/machine_sample.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace minima::train {

namespace {

std::int64_t mebibytes(std::int64_t bytes) { return bytes >> 20; }

/// With infinity: never.
constexpr minima::detail::Interval from_zero{.low = 0, .has_low = true, .has_high = true};

/// Three digits: `0.5 s`, `13.2 ms`.
std::string short_time(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 0.1 ? "%.3g ms" : "%.3g s", seconds < 0.1 ? 1e3 * seconds : seconds);
  return text;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Alerts::Alerts(const AlertLimits& limits) : limits_(limits) {
  constexpr const char* name = "Alerts";
  minima::detail::check_count(name, "min_disk", limits.min_disk, 0);
  minima::detail::check_count(name, "max_swapping", limits.max_swapping, 0);
  minima::detail::check_number(name, "slow_step", limits.slow_step, {.low = 1, .has_low = true, .has_high = true});
  minima::detail::check_number(name, "slow_step_seconds", limits.slow_step_seconds, from_zero);
  minima::detail::check_number(name, "outlier_loss", limits.outlier_loss, from_zero);
  if (limits.history < 2) throw ValueError(str(name, ": history must be at least 2, got ", limits.history));
}

void Alerts::raise(std::vector<std::string>& found, Kind kind, std::string text) {
  if (raised_[kind]) return;
  raised_[kind] = true;
  found.push_back(std::move(text));
}

std::vector<std::string> Alerts::look(const MachineSample& sample) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < sample.gpus.size(); ++i) {
    const cuda::Sensors& gpu = sample.gpus[i];
    if (!gpu.throttled.empty())
      raise(found, throttling,
            str("GPU ", i, " lowers its clocks because of ", gpu.throttled, " (", gpu.temperature, " °C, ",
                static_cast<int>(gpu.power), " W, ", gpu.clock, " MHz)"));
    if (gpu.uncorrected_errors > 0)
      raise(found, memory_errors,
            str("GPU ", i, " has found ", gpu.uncorrected_errors,
                " uncorrected errors in its memory; results may be wrong"));
  }
  if (first_swapped_ < 0) first_swapped_ = sample.swapped;
  if (sample.swapped - first_swapped_ > limits_.max_swapping)
    raise(found, swapping,
          str("the machine is swapping: ", mebibytes(sample.swapped - first_swapped_),
              " MiB since the start; memory is too small"));
  if (sample.disk_free >= 0 && sample.disk_free < limits_.min_disk)
    raise(found, full_disk, str("only ", mebibytes(sample.disk_free), " MiB are free on the disk of the run's folder"));
  return found;
}

void Alerts::Ring::add(double value, std::size_t most) {
  if (values.size() < most) values.push_back(value);
  else values[added % most] = value;
  ++added;
}

std::vector<std::string> Alerts::step(std::int64_t number, double seconds) {
  std::vector<std::string> found;
  if (seconds_.values.size() >= limits_.history / 2) {
    if (seconds_.added % 16 == 0 || usual_ == 0) usual_ = median(seconds_.values);
    if (seconds > limits_.slow_step * usual_ && seconds - usual_ > limits_.slow_step_seconds)
      raise(found, slow_step, str("step ", number, " took ", short_time(seconds), ", usual are ", short_time(usual_)));
  }
  seconds_.add(seconds, limits_.history);
  return found;
}

std::vector<std::string> Alerts::loss(std::int64_t number, double loss) {
  std::vector<std::string> found;
  if (!std::isfinite(loss)) {
    raise(found, odd_loss, str("the loss of step ", number, " is ", loss));
    return found;
  }
  if (const auto& before = losses_.values; before.size() >= limits_.history / 2) {
    double mean = 0, square = 0;
    for (const double value : before) mean += value / static_cast<double>(before.size());
    for (const double value : before) square += (value - mean) * (value - mean) / static_cast<double>(before.size());
    const double spread = std::sqrt(square);
    if (std::abs(loss - mean) > limits_.outlier_loss * spread && spread > 0)
      raise(found, odd_loss,
            str("the loss of step ", number, " is ", loss, ", those before were ", mean, " ± ", spread));
  }
  losses_.add(loss, limits_.history);
  return found;
}

}  // namespace minima::train
