#pragma once

#include <minima/profiler/recording.h>
#include <minima/profiler/report.h>
#include <minima/tensor/base/api.h>

#include <string>

namespace minima::profiler {

/// The report as one page that loads nothing else: the ledger, the flame graph, memory over time, the roofline, and the
/// operators by module in a table that sorts by the column that is clicked.
///     const auto report = profile.report();
///     write_file("profile.html", profiler::profile_html(report, profile.recording()));
MINIMA_API std::string profile_html(const Report& report, const Recording& recording);

}  // namespace minima::profiler
