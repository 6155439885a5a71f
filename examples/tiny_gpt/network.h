#pragma once

#include <minima/minima.h>

struct GptShape {
  std::int64_t vocabulary, context, width, depth, heads;
  double dropout;
};

/// The residual stream [N, T, D] after a block's attention, and what its feed-forward layer adds to it.
struct SumAndBranch {
  minima::Tensor sum, branch;
};

/// x + attention(norm(x)), then x + mlp(norm(x)). x [N, T, D]
struct Block : minima::nn::Module {
  minima::nn::LayerNorm norm1, norm2;
  minima::nn::Linear qkv, out, up, down;
  std::int64_t heads;
  double p;

  explicit Block(const GptShape& shape);
  minima::Tensor forward(const minima::Tensor& x) override;
  /// forward without its first and last step, which a chain of blocks does in one kernel: `normalized` is norm1(x).
  SumAndBranch parts(const minima::Tensor& x, const minima::Tensor& normalized);
};

/// How a network calls its blocks.
enum class BlockCalls {
  chained,       ///< the norm of the next block adds the branch of the one before
  separate,      ///< as modules, for a memory budget or hooks
  checkpointed,  ///< as modules that backward recomputes
};

/// A GPT-2 decoder (Radford et al. 2019) with the output layer tied to the embedding.
struct Gpt : minima::nn::ModuleOf<Gpt> {
  minima::nn::Embedding tokens;
  minima::nn::Parameter positions;  ///< [T, D]
  minima::nn::Sequential blocks;
  minima::nn::LayerNorm norm;
  GptShape shape;
  BlockCalls calls = BlockCalls::chained;

  explicit Gpt(const GptShape& shape);
  /// text [N, T] of int64 → [N, T, D]
  minima::Tensor forward(const minima::Tensor& text);
  /// The mean cross entropy of the next characters, without storing all logits.
  minima::Tensor loss(const minima::Tensor& text, const minima::Tensor& next);
  /// Logits [V] of the character after text [1, T]
  minima::Tensor next(const minima::Tensor& text);
};
