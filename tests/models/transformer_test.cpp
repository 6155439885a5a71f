#include "tests/models/recording.h"

// A Transformer encoder (Vaswani et al. 2017, norms first) over padded sequences. Names match
// torch.nn.TransformerEncoder, so its checkpoints load.

namespace minima::transformer_test {
namespace {

struct SelfAttention : nn::ModuleOf<SelfAttention> {
  SelfAttention(std::int64_t dim, std::int64_t head_count)
      : heads(head_count),
        in_proj_weight(parameter("in_proj_weight", zeros({3 * dim, dim}))),
        in_proj_bias(parameter("in_proj_bias", zeros({3 * dim}))),
        out_proj(child("out_proj", nn::Linear({.in = dim, .out = dim}))) {}
  Tensor forward(const Tensor& x, const Tensor& seen) {
    const std::int64_t n = x.size(0), length = x.size(1), dim = x.size(2);
    const Tensor qkv = reshape(linear(x, in_proj_weight, in_proj_bias), {n, length, 3, heads, dim / heads});
    const std::vector<Tensor> parts = unbind(permute(qkv, {2, 0, 3, 1, 4}));
    const Tensor y = scaled_dot_product_attention(parts[0], parts[1], parts[2], {.mask = seen});
    return out_proj(reshape(transpose(y, 1, 2), {n, length, dim}));
  }
  std::int64_t heads;
  nn::Parameter in_proj_weight, in_proj_bias;
  nn::Linear out_proj;
};

struct EncoderLayer : nn::ModuleOf<EncoderLayer> {
  explicit EncoderLayer(std::int64_t dim)
      : self_attn(child("self_attn", SelfAttention(dim, 4))),
        linear1(child("linear1", nn::Linear({.in = dim, .out = 2 * dim}))),
        linear2(child("linear2", nn::Linear({.in = 2 * dim, .out = dim}))),
        norm1(child("norm1", nn::LayerNorm({.shape = {dim}}))),
        norm2(child("norm2", nn::LayerNorm({.shape = {dim}}))) {}
  Tensor forward(const Tensor& x, const Tensor& seen) {
    const Tensor h = x + self_attn(norm1(x), seen);
    return h + linear2(gelu(linear1(norm2(h))));
  }
  SelfAttention self_attn;
  nn::Linear linear1, linear2;
  nn::LayerNorm norm1, norm2;
};

struct Encoder : nn::ModuleOf<Encoder> {
  explicit Encoder(std::int64_t dim)
      : layers(child("layers", nn::ListOf<EncoderLayer>())), norm(child("norm", nn::LayerNorm({.shape = {dim}}))) {
    for (int i = 0; i < 2; ++i) layers.push_back(EncoderLayer(dim));
  }
  Tensor forward(const Tensor& x, const Tensor& seen) {
    Tensor h = x;
    for (EncoderLayer& layer : layers) h = layer(h, seen);
    return norm(h);
  }
  nn::ListOf<EncoderLayer> layers;
  nn::LayerNorm norm;
};

struct Transformer : nn::Module {
  static constexpr std::int64_t dim = 32;
  nn::Embedding embedding = child("embedding", nn::Embedding({.count = 50, .dim = dim, .padding = 0}));
  nn::Parameter position = parameter("position", zeros({16, dim}));
  Encoder encoder = child("encoder", Encoder(dim));
  nn::Linear head = child("head", nn::Linear({.in = dim, .out = 50}));
  Tensor forward(const Tensor& tokens) override {
    const Tensor seen = reshape(ne(tokens, 0), {tokens.size(0), 1, 1, tokens.size(1)});
    return head(encoder(embedding(tokens) + position, seen));
  }
};

TEST(Models, TransformerEncoderFollowsPyTorch) {
  SKIP_WITHOUT_TEST_DEVICE();
  const test::Recording recorded("transformer");
  Transformer net;
  recorded.start(net);
  const Tensor tokens = recorded["tokens"], target = flatten(recorded["target"]);
  optim::AdamW optimizer(net.parameters(), {.lr = 3e-3, .beta1 = 0.9, .beta2 = 0.98, .weight_decay = 0.05});
  std::vector<double> losses;
  for (std::int64_t step = 0; step < recorded.losses(); ++step) {
    optimizer.zero_grad();
    const Tensor loss = cross_entropy(flatten(net(tokens), 0, 1), target);
    loss.backward();
    optim::clip_grad_norm_(net.parameters(), 1.0);
    optimizer.step();
    losses.push_back(loss.item<double>());
  }
  recorded.expect_followed(losses);
  recorded.expect_reached("weight", net.encoder.layers[0].self_attn.in_proj_weight);
}

}  // namespace
}  // namespace minima::transformer_test
