#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/function.h>

#include <cstdint>

namespace minima::profiler {

struct MeasureOptions {
  double warmup_seconds = 0.05;  ///< and at least two calls
  double seconds = 0.3;          ///< of samples, and at least `min_samples`
  std::int64_t min_samples = 5;  ///< from 1 to 10⁶
};

/// Seconds of one call.
struct Measurement {
  double median = 0, fastest = 0;
  double spread = 0;  ///< half the distance of the quartiles, as a share of the median
  std::int64_t samples = 0;
  std::int64_t calls = 0;  ///< in a sample: as many as take 100 µs
  bool predicted = false;  ///< for a simulated GPU, by its clock
};

/// Times `call`, which works on this device: warms up, waits for the device before and after each sample, and repeats.
///     profiler::measure([&] { y = matmul(a, b); }, a.device()).median
/// On a simulated GPU the time is predicted: that of the work, and of CUDA calls that the host waits for.
MINIMA_API Measurement measure(const Function<void()>& call, Device device = Device::cpu(),
                               const MeasureOptions& options = {});

/// Seconds on the clock by which `measure` times what the device does.
MINIMA_API double clock_seconds(Device device);

}  // namespace minima::profiler
