#pragma once

#include "../table.h"

#include <minima/profiler/measure.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Every table, and what they share. A new one is a function here and a line in registry.cpp.

namespace bench {

Table roofs(const Settings& settings);

Table precision(const Settings& settings);
Table shapes(const Settings& settings);
Table roofline(const Settings& settings);
Table crossover(const Settings& settings);

Table pool(const Settings& settings);
Table no_grad(const Settings& settings);

Table fused(const Settings& settings);
Table batches(const Settings& settings);
Table batch_search(const Settings& settings);
Table determinism(const Settings& settings);
Table captured(const Settings& settings);
Table streams(const Settings& settings);

Table prefetch(const Settings& settings);
Table telemetry(const Settings& settings);
Table transfers(const Settings& settings);

Table placement(const Settings& settings);
Table practices(const Settings& settings);
/// The least and the most of what the other tables found, by their keys.
Table summary(const std::vector<std::pair<std::string, Table>>& tables);

Table grains(const Settings& settings);
Table blocks(const Settings& settings);
Table predictions(const Settings& settings);

/// Seconds of one call on the device: the median.
template <class F>
double seconds_of(const Settings& settings, F&& call) {
  return minima::profiler::measure(call, settings.device,
                                   {.warmup_seconds = settings.seconds / 6, .seconds = settings.seconds})
      .median;
}

inline minima::TensorOptions on(const Settings& settings, minima::DType dtype = minima::float32) {
  return {.dtype = dtype, .device = settings.device};
}

constexpr double milli = 1e3, micro = 1e6, giga = 1e-9, mebi = 1.0 / (1 << 20);

}  // namespace bench
