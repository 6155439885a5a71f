#pragma once

#include <minima/profiler/gpu/gpu_work.h>
#include <minima/profiler/host/host_recording.h>
#include <minima/profiler/spans/span.h>
#include <minima/tensor/base/api.h>
#include <minima/tensor/storage/storage.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace minima::profiler {

/// A storage that the thread allocated or freed.
struct MemoryChange {
  double seconds = 0;                ///< when the span before it began or ended, since the recording began
  std::int64_t bytes = 0;            ///< negative: freed
  const Storage* storage = nullptr;  ///< its address, of which nothing may be left
  std::int32_t span = -1;            ///< the innermost one it was in, or -1
  std::int32_t next = 0;             ///< number of spans that had begun
  Purpose purpose = Purpose::activations;
  Device device;
};

/// Tells what the whole process had allocated on a device, at the beginning or the end of a step.
struct MemoryLevel {
  double seconds = 0;
  std::size_t changes = 0;  ///< recorded before
  Device device;
  std::int64_t by[purpose_count] = {};
};

/// Records what a thread did. `name` and `module` of spans are places in `names`, of which the first is empty.
struct Recording {
  std::vector<std::string> names{""};
  std::vector<Span> spans;  ///< in the order in which they began
  std::vector<MemoryChange> memory;
  std::vector<MemoryLevel> levels;
  double seconds = 0;         ///< from the first step's begin to the last one's end
  double loader_seconds = 0;  ///< of them, how long the loop waited for watched loaders
  std::int64_t steps = 0;
  GpuRecording gpu;
  HostRecording host;

  const std::string& name(const Span& span) const { return names[static_cast<std::size_t>(span.name)]; }
  const std::string& module(const Span& span) const { return names[static_cast<std::size_t>(span.module)]; }
  NamedSpans named() const { return {spans, names}; }
};

/// For each formula, the operator whose gradient it computes; -1 if that was not recorded, and for other spans.
MINIMA_API std::vector<std::int32_t> forward_of(const Recording& recording);

/// Gives spans without a call stack that of the span they are in, and formulas that of their operator.
MINIMA_API void give_stacks(Recording& recording);

}  // namespace minima::profiler
