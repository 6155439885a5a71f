#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima::profiler {

/// Merges the Chrome traces of several ranks, in their order, into one with a process for each; `minima-plot --traces`
/// does so to files. Times are those of the first rank's trace. On one machine the ranks share a clock; traces of other
/// machines are moved so that collectives, which end on all ranks at about the same time, do so.
///
/// Throws ValueError for a trace that Profile::chrome_trace did not write, and for one of another machine that has no
/// collective in common with the first.
MINIMA_API std::string merge_traces(const std::vector<std::string>& traces);

/// The category of collectives, and the row of a BackgroundLog that they are in.
inline constexpr const char* collective_row = "collectives";

/// The machine whose monotonic clock this is, since it was started.
MINIMA_API std::string this_clock();
/// The member of a trace that tells which clock showed what at time 0.
MINIMA_API std::string clock_note(const std::string& clock, std::int64_t start_ns);

}  // namespace minima::profiler
