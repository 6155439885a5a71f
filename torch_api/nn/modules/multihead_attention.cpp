#include <c10/util/Exception.h>
#include <torch/nn/functional/activation.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/activation.h>

#include <initializer_list>

namespace F = torch::nn::functional;

namespace torch::nn {

MultiheadAttentionImpl::MultiheadAttentionImpl(int64_t embed_dim, int64_t num_heads)
    : MultiheadAttentionImpl(MultiheadAttentionOptions(embed_dim, num_heads)) {}
MultiheadAttentionImpl::MultiheadAttentionImpl(const MultiheadAttentionOptions& options_)
    : Cloneable("torch::nn::MultiheadAttention"), options(options_) {
  MultiheadAttentionImpl::reset();
}

void MultiheadAttentionImpl::reset() {
  const int64_t embed = options.embed_dim();
  _qkv_same_embed_dim = options.kdim() == embed && options.vdim() == embed;
  head_dim = embed / options.num_heads();
  TORCH_CHECK(head_dim * options.num_heads() == embed, "embed_dim must be divisible by num_heads");

  const auto parameter = [this](const char* name, bool wanted, IntArrayRef sizes) {
    return register_parameter(name, wanted ? torch::empty(sizes) : Tensor(), /*requires_grad=*/wanted);
  };
  q_proj_weight = parameter("q_proj_weight", !_qkv_same_embed_dim, {embed, embed});
  k_proj_weight = parameter("k_proj_weight", !_qkv_same_embed_dim, {embed, options.kdim()});
  v_proj_weight = parameter("v_proj_weight", !_qkv_same_embed_dim, {embed, options.vdim()});
  in_proj_weight = parameter("in_proj_weight", _qkv_same_embed_dim, {3 * embed, embed});
  in_proj_bias = parameter("in_proj_bias", options.bias(), {3 * embed});
  out_proj = register_module("out_proj", Linear(LinearOptions(embed, embed).bias(options.bias())));
  bias_k = options.add_bias_kv() ? parameter("bias_k", true, {1, 1, embed}) : Tensor();
  bias_v = options.add_bias_kv() ? parameter("bias_v", true, {1, 1, embed}) : Tensor();
  _reset_parameters();
}

void MultiheadAttentionImpl::_reset_parameters() {
  for (const Tensor& weight : {in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight})
    if (weight.defined()) init::xavier_uniform_(weight);
  if (in_proj_bias.defined()) {
    init::constant_(in_proj_bias, 0);
    init::constant_(out_proj->bias, 0);
  }
  for (const Tensor& bias : {bias_k, bias_v})
    if (bias.defined()) init::xavier_normal_(bias);
}

std::tuple<Tensor, Tensor> MultiheadAttentionImpl::forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                                           const Tensor& key_padding_mask, bool need_weights,
                                                           const Tensor& attn_mask, bool average_attn_weights) {
  return F::multi_head_attention_forward(
      query, key, value,
      F::MultiheadAttentionForwardFuncOptions(options.embed_dim(), options.num_heads(), in_proj_weight, in_proj_bias,
                                              bias_k, bias_v, options.add_zero_attn(), options.dropout(),
                                              out_proj->weight, out_proj->bias)
          .training(is_training())
          .key_padding_mask(key_padding_mask)
          .need_weights(need_weights)
          .attn_mask(attn_mask)
          .use_separate_proj_weight(!_qkv_same_embed_dim)
          .q_proj_weight(q_proj_weight)
          .k_proj_weight(k_proj_weight)
          .v_proj_weight(v_proj_weight)
          .average_attn_weights(average_attn_weights));
}

}  // namespace torch::nn
