#pragma once

#include <minima/tensor/system/processor_use.h>

#include <cstdint>
#include <string>
#include <vector>

// Describes what a recording has of the processor besides spans.

namespace minima::profiler {

/// A range of a `parallel_for` that the recorded thread has called.
struct ThreadRange {
  std::int32_t loop = 0;      ///< number of the call
  std::int32_t thread = 0;    ///< 0: the recorded one
  std::int32_t span = -1;     ///< the innermost one that the call was in, or -1
  double begin = 0, end = 0;  ///< seconds since the recording began
};

/// Tells what a background thread did for the recorded one.
struct BackgroundSpan {
  std::string row;   ///< `loader worker 0`, `collectives`
  std::string what;  ///< `fetch`, `all_reduce mean float32 [128]`
  double begin = 0, end = 0;
};

/// Holds what the processor and the kernel counted of the recorded thread; -1 where they do not count.
struct Counts {
  std::int64_t cycles = -1, instructions = -1, cache_misses = -1, page_faults = -1;
};

/// Where an operator was called from.
struct CallStack {
  std::string addresses;            ///< of record_stack (autograd/call_stack.h)
  std::vector<std::string> frames;  ///< `train(Net&) at train.cpp:42`, innermost first, without minima's own
};

struct HostRecording {
  int threads = 1;            ///< that a `parallel_for` of the thread uses
  ProcessorUse processor;     ///< what the process had of it, from the recording's begin to its end
  std::int64_t start_ns = 0;  ///< when the recording began, in nanoseconds of the system's monotonic clock
  std::vector<ThreadRange> ranges;
  std::vector<BackgroundSpan> background;
  std::vector<Counts> counts;          ///< of each span; of operators only. Empty unless they were asked for
  std::string no_counters;             ///< why the processor's counters are missing, if they were asked for
  std::vector<CallStack> stacks;       ///< the first is empty
  std::vector<std::int32_t> stack_of;  ///< of each span, a place in `stacks`. Empty unless they were asked for

  /// The innermost frame of a span's stack; empty if that is unknown.
  const std::string& place(std::size_t span) const;
};

}  // namespace minima::profiler
