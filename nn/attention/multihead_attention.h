#pragma once

#include <minima/nn/layers/linear.h>
#include <minima/nn/module/module.h>

#include <cstdint>

namespace minima::nn {

/// With PyTorch's names and defaults.
struct MultiheadAttentionOptions {
  std::int64_t embed_dim = 0;  ///< features of the query and the result, E
  std::int64_t num_heads = 1;  ///< H, a divisor of embed_dim
  double dropout = 0;          ///< of the weights, in training
  bool bias = true;            ///< of the projections
  bool add_bias_kv = false;    ///< append a learned key and value, which every query sees
  bool add_zero_attn = false;  ///< append a key and value of zeros, which every query sees
  std::int64_t kdim = 0;       ///< features of the keys; 0 means embed_dim
  std::int64_t vdim = 0;       ///< features of the values; 0 means embed_dim
  bool batch_first = false;    ///< tensors are [N, L, E] instead of [L, N, E]
};

/// Holds the options of one call. In a boolean mask true hides the key, as in PyTorch's modules and unlike
/// AttentionOptions::mask; a floating one is added to the scores.
struct MultiheadAttentionCall {
  Tensor key_padding_mask = {};      ///< [N, S], or [S] without a batch
  bool need_weights = true;          ///< false is faster and needs less memory
  Tensor attn_mask = {};             ///< [L, S], or [N·H, L, S]
  bool average_attn_weights = true;  ///< over the heads
  bool is_causal = false;            ///< query i sees keys 0 … i only; needs no attn_mask
};

/// Holds the results of a call.
struct MultiheadAttentionResult {
  Tensor y;        ///< [L, N, E], [N, L, E] if batch_first, [L, E] without a batch
  Tensor weights;  ///< [N, L, S], [N, H, L, S] if not averaged, without N if y is; undefined if not needed
};

/// Attention between learned projections of queries, keys and values, torch.nn.MultiheadAttention (Vaswani et al.
/// 2017): query [L, N, E], key [S, N, kdim], value [S, N, vdim], or batch first, or without N. A query from which
/// everything is hidden attends to nothing: its weights are 0 and it gets out_proj's bias, where PyTorch gives NaN if
/// need_weights is set and the same if not. Parameters have PyTorch's names and initial distributions.
///   nn::MultiheadAttention attention({.embed_dim = 512, .num_heads = 8});
///   auto [y, weights] = attention(x, x, x, nn::MultiheadAttentionCall{.need_weights = false, .is_causal = true});
class MINIMA_API MultiheadAttention : public ModuleOf<MultiheadAttention> {
 public:
  /// Throws ValueError if sizes are below 1, num_heads does not divide embed_dim, or dropout is not from 0 to below 1.
  explicit MultiheadAttention(const MultiheadAttentionOptions& options);
  MultiheadAttentionResult forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                   const MultiheadAttentionCall& call = {});
  void reset_parameters();

  MultiheadAttentionOptions options;
  Parameter in_proj_weight;  ///< [3E, E]: of queries, keys, values; undefined if sizes differ
  Parameter q_proj_weight, k_proj_weight, v_proj_weight;  ///< [E, E], [E, kdim], [E, vdim] where sizes differ
  Parameter in_proj_bias;                                 ///< [3E]
  Parameter bias_k, bias_v;                               ///< [1, 1, E], with add_bias_kv
  Linear out_proj;                                        ///< [E, E]
};

}  // namespace minima::nn
