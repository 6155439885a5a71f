#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>

namespace minima::nn {

/// Sinusoidal position codes (Vaswani et al. 2017), [length, dim]: columns 2i and 2i + 1 of row t are the sine and
/// cosine of t · base^(-2i / dim). Throws ValueError unless length is at least 0 and dim positive and even.
///   Tensor h = embedding(tokens) + nn::sinusoidal_positions(tokens.size(1), 512);
MINIMA_API Tensor sinusoidal_positions(std::int64_t length, std::int64_t dim, const TensorOptions& options = {},
                                       double base = 10000);

struct AlibiOptions {
  std::int64_t first = 0;  ///< the position of the first query, such as the length of a KV cache before it; at least 0
  TensorOptions tensor = {};
};

/// Attention with linear biases (Press et al. 2022) as a floating mask [heads, queries, keys] of
/// scaled_dot_product_attention: minus the distance of query and key times the head's slope, which is 2^(-8h / heads)
/// for h = 1 … heads; where heads is no power of two, those of the next lower power come first, then every other one of
/// the next higher. Combine it with `causal`. Throws ValueError if heads is below 1 or a length below 0.
///   scaled_dot_product_attention(q, k, v, {.causal = true, .mask = nn::alibi_mask(8, L, L)});
MINIMA_API Tensor alibi_mask(std::int64_t heads, std::int64_t queries, std::int64_t keys,
                             const AlibiOptions& options = {});

}  // namespace minima::nn
