#include <minima/nn/attention/transformer.h>

#include <minima/nn/attention/transformer_layers.h>
#include <minima/nn/clone.h>
#include <minima/nn/containers/list.h>
#include <minima/nn/init/init.h>
#include <minima/nn/module/check_options.h>
#include <minima/nn/norm/layer_norm.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/view/diagonal.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <limits>
#include <optional>

namespace minima::nn {

namespace {

template <class Layer>
ListOf<Layer> copies(const char* name, const Layer& layer, std::int64_t count) {
  detail::expect_layers(name, "num_layers", 0, count);
  ListOf<Layer> layers;
  for (std::int64_t i = 0; i < count; ++i) layers.push_back(clone(layer));
  return layers;
}
OptionalOf<LayerNorm> optional_of(const std::optional<LayerNorm>& norm) {
  OptionalOf<LayerNorm> result;
  if (norm) result = *norm;
  return result;
}

const TransformerOptions& checked(const TransformerOptions& options) {
  constexpr const char* name = "Transformer";
  detail::expect_at_least(name, "d_model", 1, options.d_model);
  detail::expect_layers(name, "num_encoder_layers", 0, options.num_encoder_layers);
  detail::expect_layers(name, "num_decoder_layers", 0, options.num_decoder_layers);
  detail::check_number(name, "layer_norm_eps", options.layer_norm_eps, minima::detail::not_negative);
  return options;
}
TransformerLayerOptions layer_of(const TransformerOptions& options) {
  return {.d_model = options.d_model,
          .nhead = options.nhead,
          .dim_feedforward = options.dim_feedforward,
          .dropout = options.dropout,
          .activation = options.activation,
          .layer_norm_eps = options.layer_norm_eps,
          .batch_first = options.batch_first,
          .norm_first = options.norm_first,
          .bias = options.bias};
}
LayerNorm norm_of(const TransformerOptions& options) {
  return LayerNorm({.shape = {options.d_model}, .eps = options.layer_norm_eps, .bias = options.bias});
}

}  // namespace

TransformerEncoder::TransformerEncoder(const TransformerEncoderLayer& layer, std::int64_t num_layers,
                                       const std::optional<LayerNorm>& given)
    : layers(child("layers", copies("TransformerEncoder", layer, num_layers))),
      norm(child("norm", optional_of(given))) {}

Tensor TransformerEncoder::forward(const Tensor& src, const EncoderMasks& masks) {
  Tensor x = src;
  for (TransformerEncoderLayer& layer : layers) x = layer(x, masks);
  return norm ? (*norm)(x) : x;
}

TransformerDecoder::TransformerDecoder(const TransformerDecoderLayer& layer, std::int64_t num_layers,
                                       const std::optional<LayerNorm>& given)
    : layers(child("layers", copies("TransformerDecoder", layer, num_layers))),
      norm(child("norm", optional_of(given))) {}

Tensor TransformerDecoder::forward(const Tensor& tgt, const Tensor& memory, const DecoderMasks& masks) {
  Tensor x = tgt;
  for (TransformerDecoderLayer& layer : layers) x = layer(x, memory, masks);
  return norm ? (*norm)(x) : x;
}

Transformer::Transformer(const TransformerOptions& given)
    : options(checked(given)),
      encoder(child("encoder", TransformerEncoder(TransformerEncoderLayer(layer_of(options)),
                                                  options.num_encoder_layers, norm_of(options)))),
      decoder(child("decoder", TransformerDecoder(TransformerDecoderLayer(layer_of(options)),
                                                  options.num_decoder_layers, norm_of(options)))) {
  reset_parameters();
}

void Transformer::reset_parameters() {
  for (const Tensor& parameter : parameters())
    if (parameter.rank() > 1) init::xavier_uniform_(parameter);
}

Tensor Transformer::forward(const Tensor& src, const Tensor& tgt, const TransformerMasks& masks) {
  const EncoderMasks of_src{
      .mask = masks.src_mask, .src_key_padding_mask = masks.src_key_padding_mask, .is_causal = masks.src_is_causal};
  const DecoderMasks of_tgt{.tgt_mask = masks.tgt_mask,
                            .memory_mask = masks.memory_mask,
                            .tgt_key_padding_mask = masks.tgt_key_padding_mask,
                            .memory_key_padding_mask = masks.memory_key_padding_mask,
                            .tgt_is_causal = masks.tgt_is_causal,
                            .memory_is_causal = masks.memory_is_causal};
  return decoder(tgt, encoder(src, of_src), of_tgt);
}

Tensor Transformer::generate_square_subsequent_mask(std::int64_t size, const TensorOptions& options) {
  return triu(full({size, size}, -std::numeric_limits<double>::infinity(), options), 1);
}

}  // namespace minima::nn
