#include "network.h"

#include <cmath>
#include <vector>

using namespace minima;

Block::Block(const GptShape& shape)
    : norm1(child("norm1", nn::LayerNorm({.shape = {shape.width}, .lower = true}))),
      norm2(child("norm2", nn::LayerNorm({.shape = {shape.width}, .lower = true}))),
      qkv(child("qkv", nn::Linear({.in = shape.width, .out = 3 * shape.width}))),
      out(child("out", nn::Linear({.in = shape.width, .out = shape.width}))),
      up(child("up", nn::Linear({.in = shape.width, .out = 4 * shape.width, .activation = Activation::gelu_tanh}))),
      down(child("down", nn::Linear({.in = 4 * shape.width, .out = shape.width}))),
      heads(shape.heads),
      p(shape.dropout) {}

Tensor Block::forward(const Tensor& x) {
  const auto [sum, branch] = parts(x, norm1(x));
  return sum + branch;
}

SumAndBranch Block::parts(const Tensor& x, const Tensor& normalized) {
  const std::int64_t n = x.size(0), t = x.size(1), d = x.size(2);
  const Tensor packed = transpose(reshape(qkv(normalized), {n, t, 3 * heads, d / heads}), 1, 2);  // [N, 3H, T, D / H]
  const std::vector<Tensor> part = split(packed, heads, 1);                                       // q, k and v
  const Tensor attended = scaled_dot_product_attention(part[0], part[1], part[2], {.causal = true});
  const Tensor branch = dropout(out(reshape(transpose(attended, 1, 2), {n, t, d})), p, is_training());
  const SumAndNorm h = norm2.add(branch, x);
  const Tensor fed = feed_forward(h.normalized, up.weight, up.bias, down.weight, down.bias, Activation::gelu_tanh);
  return {h.sum, dropout(fed, p, is_training())};
}

Gpt::Gpt(const GptShape& s)
    : tokens(child("tokens", nn::Embedding({.count = s.vocabulary, .dim = s.width}))),
      positions(parameter("positions", empty({s.context, s.width}))),
      blocks(child("blocks", nn::Sequential())),
      norm(child("norm", nn::LayerNorm({.shape = {s.width}, .lower = true}))),
      shape(s) {
  nn::init::normal_(tokens.weight, 0, 0.02);
  nn::init::normal_(positions, 0, 0.02);
  for (std::int64_t i = 0; i < s.depth; ++i) {
    Block block(s);
    for (nn::Linear* linear : {&block.qkv, &block.out, &block.up, &block.down}) {
      const bool ends_branch = linear == &block.out || linear == &block.down;
      nn::init::normal_(linear->weight, 0, ends_branch ? 0.02 / std::sqrt(2.0 * static_cast<double>(s.depth)) : 0.02);
      nn::init::zeros_(linear->bias);
    }
    blocks.push_back(std::move(block));
  }
}

Tensor Gpt::forward(const Tensor& text) {
  Tensor h = dropout(tokens(text) + slice(positions, 0, 0, text.size(1)), shape.dropout, is_training());
  if (calls == BlockCalls::separate) return norm(blocks(h));
  if (calls == BlockCalls::checkpointed) {
    for (const nn::AnyModule& block : blocks) h = checkpoint(block, h);
    return norm(h);
  }
  const auto norm_at = [&](std::int64_t i) -> nn::LayerNorm& {
    return i < shape.depth ? blocks[i].as<Block>().norm1 : norm;
  };
  SumAndNorm stream{h, norm_at(0)(h)};
  for (std::int64_t i = 0; i < shape.depth; ++i) {
    const auto [sum, branch] = blocks[i].as<Block>().parts(stream.sum, stream.normalized);
    stream = norm_at(i + 1).add(branch, sum);
  }
  return stream.normalized;
}

Tensor Gpt::loss(const Tensor& text, const Tensor& next) {
  const Tensor h = (*this)(text);
  return linear_cross_entropy(reshape(h, {-1, shape.width}), tokens.weight, {}, reshape(next, {-1}));
}

Tensor Gpt::next(const Tensor& text) {
  const Tensor h = (*this)(text);
  return matmul(tokens.weight, h[0][-1]);
}
