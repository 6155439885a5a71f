#pragma once

#include <minima/nn/attention/transformer_layers.h>
#include <minima/nn/containers/list.h>
#include <minima/nn/module/module.h>
#include <minima/nn/norm/layer_norm.h>

#include <cstdint>
#include <optional>

namespace minima::nn {

/// `num_layers` copies of a layer, which start equal, and perhaps a norm, torch.nn.TransformerEncoder. Parameters are
/// named layers.0.self_attn.in_proj_weight, …, norm.weight.
///   nn::TransformerEncoder encoder(nn::TransformerEncoderLayer({.d_model = 512, .nhead = 8}), 6);
class MINIMA_API TransformerEncoder : public ModuleOf<TransformerEncoder> {
 public:
  /// Throws ValueError if num_layers is below 0.
  TransformerEncoder(const TransformerEncoderLayer& layer, std::int64_t num_layers,
                     const std::optional<LayerNorm>& norm = {});
  Tensor forward(const Tensor& src, const EncoderMasks& masks = {});

  ListOf<TransformerEncoderLayer> layers;
  OptionalOf<LayerNorm> norm;
};

/// The same of decoder layers, torch.nn.TransformerDecoder.
class MINIMA_API TransformerDecoder : public ModuleOf<TransformerDecoder> {
 public:
  TransformerDecoder(const TransformerDecoderLayer& layer, std::int64_t num_layers,
                     const std::optional<LayerNorm>& norm = {});
  Tensor forward(const Tensor& tgt, const Tensor& memory, const DecoderMasks& masks = {});

  ListOf<TransformerDecoderLayer> layers;
  OptionalOf<LayerNorm> norm;
};

/// With PyTorch's defaults.
struct TransformerOptions {
  std::int64_t d_model = 512;
  std::int64_t nhead = 8;
  std::int64_t num_encoder_layers = 6;  ///< at most 65536
  std::int64_t num_decoder_layers = 6;  ///< at most 65536
  std::int64_t dim_feedforward = 2048;
  double dropout = 0.1;
  Activation activation = Activation::relu;
  double layer_norm_eps = 1e-5;
  bool batch_first = false;
  bool norm_first = false;
  bool bias = true;
};

/// Masks of a Transformer; true hides, and floating values are added to the scores.
struct TransformerMasks {
  Tensor src_mask = {};                 ///< [S, S], or [N·H, S, S]
  Tensor tgt_mask = {};                 ///< [L, L], or [N·H, L, L]
  Tensor memory_mask = {};              ///< [L, S], or [N·H, L, S]
  Tensor src_key_padding_mask = {};     ///< [N, S]
  Tensor tgt_key_padding_mask = {};     ///< [N, L]
  Tensor memory_key_padding_mask = {};  ///< [N, S], usually src_key_padding_mask
  bool src_is_causal = false, tgt_is_causal = false, memory_is_causal = false;
};

/// Encoder and decoder with final norms (Vaswani et al. 2017), torch.nn.Transformer: src [S, N, E] and tgt [L, N, E],
/// or batch first, or without N → tgt's shape. Matrices are initialised by xavier_uniform.
///   nn::Transformer transformer({.d_model = 256, .nhead = 4, .batch_first = true});
///   Tensor y = transformer(src, tgt, nn::TransformerMasks{.src_key_padding_mask = padding, .tgt_is_causal = true});
class MINIMA_API Transformer : public ModuleOf<Transformer> {
 public:
  explicit Transformer(const TransformerOptions& options = {});
  Tensor forward(const Tensor& src, const Tensor& tgt, const TransformerMasks& masks = {});
  void reset_parameters();

  /// [size, size]: -inf above the diagonal, 0 elsewhere. `is_causal` says the same without memory.
  static Tensor generate_square_subsequent_mask(std::int64_t size, const TensorOptions& options = {});

  TransformerOptions options;
  TransformerEncoder encoder;
  TransformerDecoder decoder;
};

}  // namespace minima::nn
