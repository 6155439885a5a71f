#pragma once

#include "simulated/cudnn/support.h"
#include "simulated/machine/cost.h"

#include <minima/ops/cudnn/graph.h>

namespace simulated {

/// The cost of an engine's run.
Cost cost_of(const minima::detail::ConvGraph& graph, const Engine& engine);
Cost cost_of(const minima::detail::AttentionGraph& graph, const Engine& engine);

}  // namespace simulated
