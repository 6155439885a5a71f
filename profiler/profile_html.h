#pragma once

#include <minima/profiler/recording.h>
#include <minima/profiler/report.h>
#include <minima/tensor/base/api.h>

#include <string>
#include <vector>

namespace minima::profiler {

/// The report as one page that loads nothing else: the ledger, the flame graph, memory over time, the roofline, and the
/// operators by module in a table that sorts by the column that is clicked; above them the program's name, the
/// processor and the time.
///     const auto report = profile.report();
///     write_file("profile.html", profiler::profile_html(report, profile.recording()));
///
/// `pictures` are SVG documents of the program's own that follow, such as train::machine_svg of a Monitor.
MINIMA_API std::string profile_html(const Report& report, const Recording& recording,
                                    const std::vector<std::string>& pictures = {});

}  // namespace minima::profiler
