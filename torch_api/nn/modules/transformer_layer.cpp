#include <c10/util/Exception.h>
#include <torch/nn/functional/activation.h>
#include <torch/nn/modules/transformerlayer.h>

#include <tuple>
#include <utility>
#include <variant>

namespace F = torch::nn::functional;

namespace torch::nn {

namespace {

Tensor activate(const activation_t& activation, const Tensor& x) {
  if (std::holds_alternative<enumtype::kReLU>(activation)) return F::relu(x);
  if (std::holds_alternative<enumtype::kGELU>(activation)) return F::gelu(x);
  const auto& function = std::get<std::function<Tensor(const Tensor&)>>(activation);
  TORCH_CHECK(function, "activation should be kGELU, kReLU, or a callable");
  return function(x);
}

template <class Options>
MultiheadAttention make_attention(const Options& options) {
  return MultiheadAttention(MultiheadAttentionOptions(options.d_model(), options.nhead()).dropout(options.dropout()));
}
template <class Options>
LayerNorm make_norm(const Options& options) {
  return LayerNorm(LayerNormOptions({options.d_model()}));
}

}  // namespace

TransformerEncoderLayerImpl::TransformerEncoderLayerImpl(int64_t d_model, int64_t nhead)
    : TransformerEncoderLayerImpl(TransformerEncoderLayerOptions(d_model, nhead)) {}
TransformerEncoderLayerImpl::TransformerEncoderLayerImpl(TransformerEncoderLayerOptions options_)
    : options(std::move(options_)) {
  TransformerEncoderLayerImpl::reset();
}

void TransformerEncoderLayerImpl::reset() {
  self_attn = register_module("self_attn", make_attention(options));
  linear1 = register_module("linear1", Linear(options.d_model(), options.dim_feedforward()));
  dropout = register_module("dropout", Dropout(options.dropout()));
  linear2 = register_module("linear2", Linear(options.dim_feedforward(), options.d_model()));
  norm1 = register_module("norm1", make_norm(options));
  norm2 = register_module("norm2", make_norm(options));
  dropout1 = register_module("dropout1", Dropout(options.dropout()));
  dropout2 = register_module("dropout2", Dropout(options.dropout()));
}

void TransformerEncoderLayerImpl::reset_parameters() {
  self_attn->_reset_parameters();
  linear1->reset_parameters();
  linear2->reset_parameters();
  norm1->reset_parameters();
  norm2->reset_parameters();
}

Tensor TransformerEncoderLayerImpl::forward(const Tensor& src, const Tensor& src_mask,
                                            const Tensor& src_key_padding_mask) {
  const Tensor attended = std::get<0>(self_attn(src, src, src, src_key_padding_mask, /*need_weights=*/false, src_mask));
  const Tensor x = norm1(src + dropout1(attended));
  return norm2(x + dropout2(linear2(dropout(activate(options.activation(), linear1(x))))));
}

TransformerDecoderLayerImpl::TransformerDecoderLayerImpl(int64_t d_model, int64_t nhead)
    : TransformerDecoderLayerImpl(TransformerDecoderLayerOptions(d_model, nhead)) {}
TransformerDecoderLayerImpl::TransformerDecoderLayerImpl(TransformerDecoderLayerOptions options_)
    : options(std::move(options_)) {
  TransformerDecoderLayerImpl::reset();
}

void TransformerDecoderLayerImpl::reset() {
  self_attn = register_module("self_attn", make_attention(options));
  multihead_attn = register_module("multihead_attn", make_attention(options));
  linear1 = register_module("linear1", Linear(options.d_model(), options.dim_feedforward()));
  dropout = register_module("dropout", Dropout(options.dropout()));
  linear2 = register_module("linear2", Linear(options.dim_feedforward(), options.d_model()));
  norm1 = register_module("norm1", make_norm(options));
  norm2 = register_module("norm2", make_norm(options));
  norm3 = register_module("norm3", make_norm(options));
  dropout1 = register_module("dropout1", Dropout(options.dropout()));
  dropout2 = register_module("dropout2", Dropout(options.dropout()));
  dropout3 = register_module("dropout3", Dropout(options.dropout()));
}

void TransformerDecoderLayerImpl::reset_parameters() {
  self_attn->_reset_parameters();
  multihead_attn->_reset_parameters();
  linear1->reset_parameters();
  linear2->reset_parameters();
  for (LayerNorm norm : {norm1, norm2, norm3}) norm->reset_parameters();
}

Tensor TransformerDecoderLayerImpl::forward(const Tensor& tgt, const Tensor& memory, const Tensor& tgt_mask,
                                            const Tensor& memory_mask, const Tensor& tgt_key_padding_mask,
                                            const Tensor& memory_key_padding_mask) {
  const Tensor own = std::get<0>(self_attn(tgt, tgt, tgt, tgt_key_padding_mask, /*need_weights=*/false, tgt_mask));
  const Tensor x = norm1(tgt + dropout1(own));
  const Tensor seen =
      std::get<0>(multihead_attn(x, memory, memory, memory_key_padding_mask, /*need_weights=*/false, memory_mask));
  const Tensor z = norm2(x + dropout2(seen));
  return norm3(z + dropout3(linear2(dropout(activate(options.activation(), linear1(z))))));
}

}  // namespace torch::nn
