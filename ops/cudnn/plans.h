#pragma once

#include <minima/ops/cudnn/graph.h>

namespace minima::detail {

/// Everything by which graphs differ, for caches of their plans.
using GraphKey = std::vector<std::int64_t>;
GraphKey key_of(const ConvGraph& graph);
GraphKey key_of(const AttentionGraph& graph);

/// Computes the graph on the device's current stream, by a plan that is kept for the next call like it; false where
/// cuDNN cannot, having done nothing. Addresses are multiples of 16, in the order that the graph says.
bool run_graph(const ConvGraph& graph, Device device, const std::vector<void*>& addresses);
bool run_graph(const AttentionGraph& graph, Device device, const std::vector<void*>& addresses);

}  // namespace minima::detail
