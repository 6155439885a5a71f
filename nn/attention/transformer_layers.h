#pragma once

#include <minima/nn/attention/multihead_attention.h>
#include <minima/nn/layers/dropout.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/module.h>
#include <minima/nn/norm/layer_norm.h>
#include <minima/ops/product/gemm/activation.h>

#include <cstdint>

namespace minima::nn {

/// Holds the options of an encoder or decoder layer, with PyTorch's defaults.
struct TransformerLayerOptions {
  std::int64_t d_model = 0;  ///< features, E
  std::int64_t nhead = 1;    ///< attention heads, a divisor of d_model
  std::int64_t dim_feedforward = 2048;
  double dropout = 0.1;
  Activation activation = Activation::relu;  ///< between the linear layers: relu, gelu or gelu_tanh
  double layer_norm_eps = 1e-5;
  bool batch_first = false;  ///< tensors are [N, L, E] instead of [L, N, E]
  bool norm_first = false;   ///< normalise each block's input instead of the sum after it
  bool bias = true;          ///< of linear layers, projections and norms
};

/// Masks of an encoder's input. As in PyTorch's modules, true hides, and floating values are added to the scores.
struct EncoderMasks {
  Tensor mask = {};                  ///< [L, L], or [N·H, L, L]
  Tensor src_key_padding_mask = {};  ///< [N, L], or [L] without a batch
  bool is_causal = false;            ///< position i sees positions 0 … i only; needs no mask
};

/// Self-attention and a feed-forward block, each with dropout, a residual connection and a layer norm,
/// torch.nn.TransformerEncoderLayer: src [L, N, E], [N, L, E] if batch_first, or [L, E] → the same shape. Parameters
/// have PyTorch's names (self_attn.in_proj_weight, linear1.weight, norm1.weight, …).
///   nn::TransformerEncoderLayer layer({.d_model = 512, .nhead = 8, .batch_first = true});
///   Tensor y = layer(x, nn::EncoderMasks{.src_key_padding_mask = tokens == 0});
class MINIMA_API TransformerEncoderLayer : public ModuleOf<TransformerEncoderLayer> {
 public:
  /// Throws ValueError if a size is below 1, nhead does not divide d_model, or dropout is not from 0 to below 1.
  explicit TransformerEncoderLayer(const TransformerLayerOptions& options);
  Tensor forward(const Tensor& src, const EncoderMasks& masks = {});

  TransformerLayerOptions options;
  MultiheadAttention self_attn;
  Linear linear1;
  Dropout dropout;
  Linear linear2;
  LayerNorm norm1, norm2;
  Dropout dropout1, dropout2;

 private:
  Tensor attend(const Tensor& x, const EncoderMasks& masks);
  Tensor feed(const Tensor& x);
};

/// Masks of a decoder's inputs, likewise.
struct DecoderMasks {
  Tensor tgt_mask = {};                 ///< [L, L], or [N·H, L, L]
  Tensor memory_mask = {};              ///< [L, S], or [N·H, L, S]
  Tensor tgt_key_padding_mask = {};     ///< [N, L]
  Tensor memory_key_padding_mask = {};  ///< [N, S]
  bool tgt_is_causal = false, memory_is_causal = false;
};

/// Self-attention, attention to an encoder's output, and a feed-forward block, torch.nn.TransformerDecoderLayer:
/// tgt [L, N, E] and memory [S, N, E], or batch first, or without N → tgt's shape.
class MINIMA_API TransformerDecoderLayer : public ModuleOf<TransformerDecoderLayer> {
 public:
  explicit TransformerDecoderLayer(const TransformerLayerOptions& options);
  Tensor forward(const Tensor& tgt, const Tensor& memory, const DecoderMasks& masks = {});

  TransformerLayerOptions options;
  MultiheadAttention self_attn, multihead_attn;
  Linear linear1;
  Dropout dropout;
  Linear linear2;
  LayerNorm norm1, norm2, norm3;
  Dropout dropout1, dropout2, dropout3;

 private:
  Tensor attend(const Tensor& x, const DecoderMasks& masks);
  Tensor attend_to(const Tensor& x, const Tensor& memory, const DecoderMasks& masks);
  Tensor feed(const Tensor& x);
};

}  // namespace minima::nn
