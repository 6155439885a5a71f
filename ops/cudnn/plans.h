#pragma once

#include <minima/ops/cudnn/graph.h>

namespace minima::detail {

/// Everything that distinguishes graphs, as a key for caches of plans.
using GraphKey = std::vector<std::int64_t>;
GraphKey key_of(const ConvGraph& graph);
GraphKey key_of(const AttentionGraph& graph);
/// The part of it that graphs have in common if they differ only in batch, lengths or image sizes.
GraphKey family_of(const ConvGraph& graph);
GraphKey family_of(const AttentionGraph& graph);

/// For messages: "conv2d of float16 x [2, 3, 8, 8] and weight [4, 3, 3, 3]".
std::string describe(const ConvGraph& graph);
std::string describe(const AttentionGraph& graph);

/// Computes the graph on the device's current stream, by a plan cached by its key. Returns false, with nothing done,
/// where cuDNN cannot. Addresses are 16-byte aligned, in the graph's order.
bool run_graph(const ConvGraph& graph, Device device, const std::vector<void*>& addresses);
bool run_graph(const AttentionGraph& graph, Device device, const std::vector<void*>& addresses);
/// Whether run_graph computes the graph.
bool has_plan(const AttentionGraph& graph, Device device);

/// Counts a graph in `cudnn::usage()`.
void count_graph(bool planned, const std::string& refusal);

}  // namespace minima::detail
