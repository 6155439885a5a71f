#pragma once

#include <minima/profiler/host/host_recording.h>
#include <minima/tensor/base/api.h>
#include <minima/tensor/base/function.h>

#include <array>
#include <cstdint>
#include <string>

struct perf_event_attr;

namespace minima::profiler {

/// Counters of the calling thread: cycles, instructions and cache misses of user code, as far as the processor has them
/// and perf_event_open(2) is allowed, and page faults.
///
///     const Counters counters;
///     const Counts before = counters.read();
class MINIMA_API Counters {
 public:
  /// perf_event_open of this thread in the group of `leader`, -1 for a new one. Returns the file or a negative errno.
  using Open = Function<int(perf_event_attr& event, int leader)>;
  Counters();
  explicit Counters(const Open& open);
  Counters(const Counters&) = delete;
  ~Counters();

  /// Why the processor's counters are missing; empty if they are there.
  const std::string& missing() const { return missing_; }
  /// Returns what was counted since construction; -1 for what is not counted.
  Counts read() const noexcept;

 private:
  static constexpr int most = 4;
  std::array<int, most> files_{-1, -1, -1, -1};
  std::array<int, most> place_{-1, -1, -1, -1};  ///< of each counter in the group's values, -1: not counted
  int leader_ = -1, count_ = 0;
  std::string missing_;
};

/// Returns what was counted between two readings.
MINIMA_API Counts operator-(const Counts& after, const Counts& before);
MINIMA_API Counts& operator+=(Counts& sum, const Counts& counts);

}  // namespace minima::profiler
