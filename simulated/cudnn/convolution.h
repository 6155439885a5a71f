#pragma once

#include "simulated/cudnn/values.h"

#include <minima/ops/cudnn/graph.h>

#include <cstdint>

namespace simulated {

/// The way an engine sums. Engines whose results vary from run to run differ by `order`.
struct Summation {
  bool tf32 = false;        ///< factors are rounded to TF32 first
  bool in_parts = false;    ///< sums of parts are added in an order of their own, in float32; not forward
  std::uint64_t order = 0;  ///< of the parts
};

/// The result of the graph's part: y, x or weight, from the other two; `bias` is added where the graph has one.
Values convolution(const minima::detail::ConvGraph& graph, Values x, Values weight, Values y, const Values* bias,
                   const Summation& summation);

}  // namespace simulated
