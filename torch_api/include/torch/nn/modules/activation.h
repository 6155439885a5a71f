#pragma once

#include <torch/nn/modules/common.h>
#include <torch/nn/modules/layer.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/options/activation.h>

#include <tuple>

namespace torch::nn {

void check_options(const HardtanhOptions& options);

MINIMA_TORCH_LAYER(ELU, (const Tensor& input));
MINIMA_TORCH_LAYER(SELU, (const Tensor& input));
MINIMA_TORCH_LAYER(CELU, (const Tensor& input));
MINIMA_TORCH_LAYER(GELU, (const Tensor& input));
MINIMA_TORCH_LAYER(GLU, (const Tensor& input));
MINIMA_TORCH_LAYER(Hardshrink, (const Tensor& input));
MINIMA_TORCH_LAYER(Hardtanh, (const Tensor& input));
MINIMA_TORCH_LAYER(LeakyReLU, (const Tensor& input));
MINIMA_TORCH_LAYER(LogSoftmax, (const Tensor& input));
MINIMA_TORCH_LAYER(ReLU, (const Tensor& input));
MINIMA_TORCH_LAYER(ReLU6, (const Tensor& input));
MINIMA_TORCH_LAYER(RReLU, (const Tensor& input));
MINIMA_TORCH_LAYER(Softmax, (const Tensor& input));
MINIMA_TORCH_LAYER(Softmin, (const Tensor& input));
MINIMA_TORCH_LAYER(Softplus, (const Tensor& input));
MINIMA_TORCH_LAYER(Softshrink, (const Tensor& input));
MINIMA_TORCH_LAYER(Threshold, (const Tensor& input));
MINIMA_TORCH_PLAIN_LAYER(LogSigmoid);
MINIMA_TORCH_PLAIN_LAYER(Mish);
MINIMA_TORCH_PLAIN_LAYER(Sigmoid);
MINIMA_TORCH_PLAIN_LAYER(SiLU);
MINIMA_TORCH_PLAIN_LAYER(Softmax2d);
MINIMA_TORCH_PLAIN_LAYER(Softsign);
MINIMA_TORCH_PLAIN_LAYER(Tanh);
MINIMA_TORCH_PLAIN_LAYER(Tanhshrink);

class PReLUImpl : public Cloneable<PReLUImpl> {
 public:
  explicit PReLUImpl(const PReLUOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  PReLUOptions options;
  Tensor weight;
};
TORCH_MODULE(PReLU);

class MultiheadAttentionImpl : public Cloneable<MultiheadAttentionImpl> {
 public:
  MultiheadAttentionImpl(int64_t embed_dim, int64_t num_heads);
  explicit MultiheadAttentionImpl(const MultiheadAttentionOptions& options_);
  void reset() override;
  void _reset_parameters();
  /// The attended values and, with need_weights, the attention's weights; else an undefined tensor.
  std::tuple<Tensor, Tensor> forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                     const Tensor& key_padding_mask = {}, bool need_weights = true,
                                     const Tensor& attn_mask = {}, bool average_attn_weights = true);

  MultiheadAttentionOptions options;
  bool _qkv_same_embed_dim = false;
  Tensor in_proj_weight, in_proj_bias, bias_k, bias_v;
  Linear out_proj = nullptr;
  Tensor q_proj_weight, k_proj_weight, v_proj_weight;
  int64_t head_dim = 0;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({3, AnyValue(Tensor())}, {4, AnyValue(true)}, {5, AnyValue(Tensor())}, {6, AnyValue(true)})
};
TORCH_MODULE(MultiheadAttention);

}  // namespace torch::nn
