#pragma once

#include <minima/profiler/recording.h>
#include <minima/profiler/report.h>

#include <string>
#include <vector>

namespace minima::profiler {

/// Makes of a report of the thread's time one of the GPUs': rows by the time of their work, and the ledger.
void report_gpu(const Recording& recording, const std::vector<Cost>& costs, Report& report);

/// Says what the times are and how they were taken: `on NVIDIA H200, timed by CUPTI`.
std::string describe_gpu(const Report& report);

}  // namespace minima::profiler
