#pragma once

#include <minima/minima.h>

struct GptShape {
  std::int64_t vocabulary, context, width, depth, heads;
  double dropout;
};

/// x + attention(norm(x)), then x + mlp(norm(x)). x [N, T, D]
struct Block : minima::nn::Module {
  minima::nn::LayerNorm norm1, norm2;
  minima::nn::Linear qkv, out, up, down;
  std::int64_t heads;
  double p;

  explicit Block(const GptShape& shape);
  minima::Tensor forward(const minima::Tensor& x) override;
};

/// A decoder as in GPT-2 (Radford et al. 2019), the output tied to the embedding.
struct Gpt : minima::nn::ModuleOf<Gpt> {
  minima::nn::Embedding tokens;
  minima::nn::Parameter positions;  ///< [T, D]
  minima::nn::Sequential blocks;
  minima::nn::LayerNorm norm;
  GptShape shape;
  bool checkpointed = false;  ///< every block

  explicit Gpt(const GptShape& shape);
  /// text [N, T] of int64 → [N, T, D]
  minima::Tensor forward(const minima::Tensor& text);
  /// The mean cross entropy of each next character, without ever storing all logits.
  minima::Tensor loss(const minima::Tensor& text, const minima::Tensor& next);
  /// Scores of the character after text [1, T]: [V]
  minima::Tensor next(const minima::Tensor& text);
};
