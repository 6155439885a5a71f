#pragma once

#include <minima/profiler/report.h>
#include <minima/tensor/base/api.h>

#include <string>

namespace minima::profiler {

/// The roofline model as SVG (Williams, Waterman and Patterson 2009): each operator's GFLOP/s over its arithmetic
/// intensity, below the roof; circles have areas in proportion to time, and tooltips. Operators without arithmetic
/// and those with less than a hundredth of the time are left out; the slowest twelve are named.
MINIMA_API std::string roofline_svg(const Report& report);

}  // namespace minima::profiler
