#pragma once

#include <minima/profiler/recording.h>
#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>

namespace minima::profiler {

/// Selects what the boxes of a flame graph are, from the outside to the operators.
enum class FlameBy : std::uint8_t {
  modules,  ///< ranges, modules and gradients
  lines     ///< the program's functions and lines, of a profile with `stacks`; gradients are where their operator is
};

/// Where the time goes, as SVG (Gregg 2016, hung from the top): a box for each range, module, gradient and operator
/// below the one that called it, as wide as all its calls together. Boxes are in order of their first call; those of
/// less than a thousandth of the time are left out.
MINIMA_API std::string flame_graph_svg(const Recording& recording, FlameBy by = FlameBy::modules);

}  // namespace minima::profiler
