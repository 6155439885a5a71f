#pragma once

#include <minima/profiler/recording.h>
#include <minima/tensor/base/api.h>

#include <string>

namespace minima::profiler {

/// Memory over the recorded time by purpose as SVG, a picture for each device in a column. What other threads allocate
/// shows at the end of each step.
MINIMA_API std::string memory_timeline_svg(const Recording& recording);

}  // namespace minima::profiler
