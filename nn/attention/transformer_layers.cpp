#include <minima/nn/attention/transformer_layers.h>

#include <minima/nn/attention/multihead_attention.h>
#include <minima/nn/layers/dropout.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/check_options.h>
#include <minima/nn/norm/layer_norm.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/gemm/activation.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

namespace minima::nn {

namespace {

const TransformerLayerOptions& checked(const char* name, const TransformerLayerOptions& options) {
  detail::expect_at_least(name, "d_model", 1, options.d_model);
  detail::expect_at_least(name, "nhead", 1, options.nhead);
  detail::expect_at_least(name, "dim_feedforward", 1, options.dim_feedforward);
  if (options.d_model % options.nhead != 0)
    throw ValueError(str(name, ": nhead = ", options.nhead, " must divide d_model = ", options.d_model));
  if (!(options.dropout >= 0 && options.dropout < 1))
    throw ValueError(str(name, ": dropout must be at least 0 and below 1, got ", options.dropout));
  detail::check_number(name, "layer_norm_eps", options.layer_norm_eps, minima::detail::not_negative);
  if (options.activation == Activation::none)
    throw ValueError(str(name, ": activation must be relu, gelu or gelu_tanh"));
  return options;
}

MultiheadAttentionOptions attention_of(const TransformerLayerOptions& options) {
  return {.embed_dim = options.d_model,
          .num_heads = options.nhead,
          .dropout = options.dropout,
          .bias = options.bias,
          .batch_first = options.batch_first};
}
LayerNormOptions norm_of(const TransformerLayerOptions& options) {
  return {.shape = {options.d_model}, .eps = options.layer_norm_eps, .bias = options.bias};
}
LinearOptions widening_of(const TransformerLayerOptions& options) {
  return {
      .in = options.d_model, .out = options.dim_feedforward, .bias = options.bias, .activation = options.activation};
}
LinearOptions narrowing_of(const TransformerLayerOptions& options) {
  return {.in = options.dim_feedforward, .out = options.d_model, .bias = options.bias};
}

/// x with a block's residual connection and norm.
template <class F>
Tensor add_block(bool norm_first, const Tensor& x, LayerNorm& norm, const F& block) {
  if (!norm_first) {
    const Tensor y = block(x);
    return norm(x + y);
  }
  const Tensor y = block(norm(x));
  return x + y;
}

}  // namespace

TransformerEncoderLayer::TransformerEncoderLayer(const TransformerLayerOptions& given)
    : options(checked("TransformerEncoderLayer", given)),
      self_attn(child("self_attn", MultiheadAttention(attention_of(options)))),
      linear1(child("linear1", Linear(widening_of(options)))),
      dropout(child("dropout", Dropout({options.dropout}))),
      linear2(child("linear2", Linear(narrowing_of(options)))),
      norm1(child("norm1", LayerNorm(norm_of(options)))),
      norm2(child("norm2", LayerNorm(norm_of(options)))),
      dropout1(child("dropout1", Dropout({options.dropout}))),
      dropout2(child("dropout2", Dropout({options.dropout}))) {}

Tensor TransformerEncoderLayer::attend(const Tensor& x, const EncoderMasks& masks) {
  const MultiheadAttentionCall call{.key_padding_mask = masks.src_key_padding_mask,
                                    .need_weights = false,
                                    .attn_mask = masks.mask,
                                    .is_causal = masks.is_causal};
  return dropout1(self_attn(x, x, x, call).y);
}
Tensor TransformerEncoderLayer::feed(const Tensor& x) { return dropout2(linear2(dropout(linear1(x)))); }

Tensor TransformerEncoderLayer::forward(const Tensor& src, const EncoderMasks& masks) {
  const Tensor x = add_block(options.norm_first, src, norm1, [&](const Tensor& h) { return attend(h, masks); });
  return add_block(options.norm_first, x, norm2, [&](const Tensor& h) { return feed(h); });
}

TransformerDecoderLayer::TransformerDecoderLayer(const TransformerLayerOptions& given)
    : options(checked("TransformerDecoderLayer", given)),
      self_attn(child("self_attn", MultiheadAttention(attention_of(options)))),
      multihead_attn(child("multihead_attn", MultiheadAttention(attention_of(options)))),
      linear1(child("linear1", Linear(widening_of(options)))),
      dropout(child("dropout", Dropout({options.dropout}))),
      linear2(child("linear2", Linear(narrowing_of(options)))),
      norm1(child("norm1", LayerNorm(norm_of(options)))),
      norm2(child("norm2", LayerNorm(norm_of(options)))),
      norm3(child("norm3", LayerNorm(norm_of(options)))),
      dropout1(child("dropout1", Dropout({options.dropout}))),
      dropout2(child("dropout2", Dropout({options.dropout}))),
      dropout3(child("dropout3", Dropout({options.dropout}))) {}

Tensor TransformerDecoderLayer::attend(const Tensor& x, const DecoderMasks& masks) {
  const MultiheadAttentionCall call{.key_padding_mask = masks.tgt_key_padding_mask,
                                    .need_weights = false,
                                    .attn_mask = masks.tgt_mask,
                                    .is_causal = masks.tgt_is_causal};
  return dropout1(self_attn(x, x, x, call).y);
}
Tensor TransformerDecoderLayer::attend_to(const Tensor& x, const Tensor& memory, const DecoderMasks& masks) {
  const MultiheadAttentionCall call{.key_padding_mask = masks.memory_key_padding_mask,
                                    .need_weights = false,
                                    .attn_mask = masks.memory_mask,
                                    .is_causal = masks.memory_is_causal};
  return dropout2(multihead_attn(x, memory, memory, call).y);
}
Tensor TransformerDecoderLayer::feed(const Tensor& x) { return dropout3(linear2(dropout(linear1(x)))); }

Tensor TransformerDecoderLayer::forward(const Tensor& tgt, const Tensor& memory, const DecoderMasks& masks) {
  Tensor x = add_block(options.norm_first, tgt, norm1, [&](const Tensor& h) { return attend(h, masks); });
  x = add_block(options.norm_first, x, norm2, [&](const Tensor& h) { return attend_to(h, memory, masks); });
  return add_block(options.norm_first, x, norm3, [&](const Tensor& h) { return feed(h); });
}

}  // namespace minima::nn
