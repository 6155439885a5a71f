#include <minima/profiler/measure.h>

#include <minima/profiler/gpu/gpu_recorder.h>
#include <minima/profiler/gpu/known_sizes.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/device/stream.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::profiler {

namespace {

/// The clock of simulated GPUs if the device is one, or null.
GpuClock simulated_clock_of(Device device) { return device.is_cuda() ? simulated_clock() : nullptr; }

constexpr double a_year = 365. * 86400;

/// By a clock on which a call takes the same time whenever plans and caches are warm.
Measurement predict(const Function<void()>& call, Device device, GpuClock clock) {
  const KnownSizes sizes;
  const auto sample = [&](std::int64_t calls) {
    synchronize(device);
    const double start = clock();
    for (std::int64_t i = 0; i < calls; ++i) call();
    synchronize(device);
    return (clock() - start) / static_cast<double>(calls);
  };
  constexpr int warmup = 5, calls = 8;
  for (int i = 0; i < warmup; ++i) call();
  const double seconds = sample(calls);
  return {.median = seconds, .fastest = seconds, .samples = 1, .calls = calls, .predicted = true};
}

}  // namespace

double clock_seconds(Device device) {
  if (const GpuClock clock = simulated_clock_of(device)) return clock();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Measurement measure(const Function<void()>& call, Device device, const MeasureOptions& options) {
  minima::detail::check_number("measure", "warmup_seconds", options.warmup_seconds, minima::detail::from_to(0, a_year));
  minima::detail::check_number("measure", "seconds", options.seconds, minima::detail::from_to(0, a_year));
  minima::detail::check_count("measure", "min_samples", options.min_samples, 1, 1'000'000);
  if (const GpuClock clock = simulated_clock_of(device)) return predict(call, device, clock);
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const auto wait = [&] {
    if (device.is_cuda()) synchronize(device);
  };
  const auto sample = [&](std::int64_t calls) {
    wait();
    const Clock::time_point start = Clock::now();
    for (std::int64_t i = 0; i < calls; ++i) call();
    wait();
    return seconds_since(start) / static_cast<double>(calls);
  };

  double fastest = sample(1);
  const Clock::time_point warming = Clock::now();
  do fastest = std::min(fastest, sample(1));
  while (seconds_since(warming) < options.warmup_seconds);

  Measurement result;
  constexpr double least_sample = 100e-6;
  result.calls = std::max<std::int64_t>(1, std::llround(least_sample / std::max(fastest, 1e-9)));
  std::vector<double> times;
  const Clock::time_point start = Clock::now();
  do times.push_back(sample(result.calls));
  while (seconds_since(start) < options.seconds || static_cast<std::int64_t>(times.size()) < options.min_samples);

  std::sort(times.begin(), times.end());
  const auto quantile = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  result.samples = static_cast<std::int64_t>(times.size());
  result.median = quantile(0.5);
  result.fastest = times.front();
  result.spread = result.median > 0 ? (quantile(0.75) - quantile(0.25)) / 2 / result.median : 0;
  return result;
}

}  // namespace minima::profiler
