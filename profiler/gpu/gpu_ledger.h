#pragma once

#include <minima/profiler/gpu/gpu_work.h>
#include <minima/profiler/spans/span.h>

#include <cstdint>
#include <vector>

namespace minima::profiler {

/// Names what a piece of work uses most.
enum class GpuUse : std::uint8_t { compute, memory, communication, transfers };

/// Seconds of the accounts of `Ledger` (report.h).
struct GpuTimes {
  double compute = 0, memory = 0, launch = 0, engine = 0, threads = 0, synchronization = 0, transfers = 0,
         communication = 0, host = 0;

  double total() const {
    return compute + memory + launch + engine + threads + synchronization + transfers + communication + host;
  }
};

/// All seconds of a recording, each in the account of what the GPUs do then, and while none of them does anything, of
/// why. `uses` has one entry for each piece of work.
///
/// Where several pieces overlap, the first of `GpuUse` counts. An idle GPU is charged to what the thread does
/// meanwhile, except that a gap that began while it waited for the GPU is synchronization until the next piece, but for
/// the program's own code and for other waits. A gap before work that was queued already is launch.
GpuTimes gpu_ledger(const std::vector<Span>& spans, const std::vector<GpuWork>& work, const std::vector<GpuUse>& uses,
                    double seconds);

}  // namespace minima::profiler
