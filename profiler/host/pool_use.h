#pragma once

#include <minima/io/text/json.h>
#include <minima/profiler/host/host_recording.h>
#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima::profiler {

/// How the threads share the work of `parallel_for`, in a step on average.
struct PoolUse {
  double loops = 0;    ///< calls that several threads ran
  double seconds = 0;  ///< in them
  /// The time of each call's busiest thread over the mean of all threads: 1 if all work equally long, the number of
  /// threads if one works alone.
  double imbalance = 1;
  std::vector<double> busy;  ///< each thread's share of the step in ranges; first the recorded thread's

  /// The threads' share of the time in loops, 0 to 1.
  double occupancy = 0;

  MINIMA_API std::string text() const;
  /// {"loops", "ms", "occupancy", "imbalance", "busy": […]}
  MINIMA_API Json json() const;
};

/// Summarises the loops that began before `seconds`, when the last of the `steps` ended.
MINIMA_API PoolUse pool_use(const HostRecording& recording, double seconds, std::int64_t steps);

}  // namespace minima::profiler
