#pragma once

#include <minima/profiler/report.h>
#include <minima/tensor/base/api.h>

#include <string>

namespace minima::profiler {

/// The roofline model as SVG (Williams, Waterman and Patterson 2009): each operator's GFLOP/s over its arithmetic
/// intensity, below the roof; circles have areas in proportion to time. Operators without
/// arithmetic and those with less than a thousandth of the time are left out.
MINIMA_API std::string roofline_svg(const Report& report);

}  // namespace minima::profiler
