#pragma once

#include <minima/io/text/json.h>
#include <minima/profiler/host/host_recording.h>
#include <minima/profiler/host/pool_use.h>
#include <minima/tensor/base/api.h>
#include <minima/tensor/system/processor_use.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace minima::profiler {

/// Reports on the processor: what its threads did and, on request, which lines of the program called the operators and
/// what the processor counted in them.
struct HostReport {
  PoolUse pool;
  ProcessorUse processor;
  struct Line {
    std::string place;    ///< `step(Net&) at train.cpp:42`
    std::string longest;  ///< the operator that takes longest there
    std::int64_t calls = 0;
    double seconds = 0;  ///< of all steps, forward and backward
  };
  std::vector<Line> lines;  ///< longest first
  struct Op {
    std::string name;
    bool backward = false;
    double seconds = 0;
    Counts counts;  ///< of all steps
  };
  std::vector<Op> counted;  ///< longest first
  std::string no_counters;  ///< why the processor's counters are missing; empty if they are there or were not asked for

  /// Tables of what there is; times are those of a step.
  MINIMA_API std::string text(int most, std::int64_t steps) const;
  /// Adds "threads", "processor" ({"cores", "usable", "share"}) and, if they were asked for, "lines", "counters" and
  /// "no_counters".
  MINIMA_API void add_to(Json& report, std::int64_t steps) const;
};

/// {"cores", "usable", "share"}
MINIMA_API Json json_of(const ProcessorUse& processor);

/// Sums up what a recording has of its operators' spans.
class MINIMA_API HostSums {
 public:
  explicit HostSums(const HostRecording& recording) : recording_(recording) {}
  /// An operator that is in no other one.
  void add(std::size_t span, const std::string& name, bool backward, double seconds);
  HostReport report(double seconds, std::int64_t steps) const;

 private:
  struct Line {
    std::map<std::string, double> ops;  ///< seconds
    std::int64_t calls = 0;
    double seconds = 0;
  };
  const HostRecording& recording_;
  std::map<std::string, Line> lines_;
  std::map<std::pair<std::string, bool>, HostReport::Op> ops_;
};

}  // namespace minima::profiler
