#pragma once

#include <minima/profiler/recording.h>
#include <minima/tensor/base/api.h>

#include <string>

namespace minima::profiler {

/// Where the time goes, as SVG (Gregg 2016, hung from the top): a box for each range, module, gradient and operator
/// below the one that called it, as wide as all its calls together. Boxes are in order of their first call; those of
/// less than a thousandth of the time are left out.
MINIMA_API std::string flame_graph_svg(const Recording& recording);

}  // namespace minima::profiler
