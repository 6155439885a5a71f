#pragma once

#include "simulated/cudnn/values.h"

#include <minima/ops/cudnn/graph.h>

#include <cstdint>
#include <optional>

namespace simulated {

/// softmax(q·kᵀ · scale + bias)·v with dropout, of values in which query heads share key heads.
struct AttentionInputs {
  Values q, k, v;
  const Values* bias = nullptr;
  std::uint64_t seed = 0, offset = 0;  ///< of dropout
};

/// o and log Σ exp of the scores, [batch, heads, length, 1]. A query whose scores are all -inf gives NaN.
struct AttentionOutputs {
  Values o, log_sums;
};
AttentionOutputs attention(const minima::detail::AttentionGraph& graph, const AttentionInputs& in);

struct AttentionGradients {
  Values q, k, v;
};
/// q's gradient is the sum of blocks of keys, added in an order that `order` draws, or in theirs without it.
AttentionGradients attention_gradients(const minima::detail::AttentionGraph& graph, const AttentionInputs& in,
                                       const Values& o, const Values& log_sums, const Values& g,
                                       std::optional<std::uint64_t> order);

/// [batch, heads, length, 1] in float32.
GraphTensor log_sums_of(const minima::detail::AttentionGraph& graph);

}  // namespace simulated
