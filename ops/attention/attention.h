#pragma once

#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <optional>

namespace minima {

struct AttentionOptions {
  bool causal = false;      ///< query i sees keys 0 … i only
  std::int64_t window = 0;  ///< if positive, query i sees only keys less than this far from i: a sliding window
  Tensor mask = {};  ///< broadcasts to [..., L, S]: bool (true keeps the score) or floating (added to the scores)
  /// Packed documents: int64 [..., L] without the heads, or what broadcasts to it. Positions see those of the same
  /// number only; numbers must not descend along a row.
  Tensor segments = {};
  double dropout = 0;  ///< each weight becomes 0 with this probability; the others are scaled by 1 / (1 - dropout)
  std::optional<double> scale = {};  ///< of the scores, finite; 1 / √E by default
  bool grouped = false;  ///< k and v may have fewer heads than q, a divisor of its count: grouped-query attention
  RandomGenerator* generator = nullptr;  ///< for dropout; null means the default one
};

/// softmax(q·kᵀ · scale + mask)·v with dropout on the weights (Vaswani et al. 2017), computed in tiles with a running
/// softmax (Dao et al. 2022, "FlashAttention"), so the L×S weights are never stored: memory grows with L + S.
///   q [..., H, L, E], k [..., H, S, E], v [..., H, S, Ev] → [..., H, L, Ev]
/// Leading dimensions must be equal. All share one floating dtype; half types compute in float32. Any strides work:
/// heads sliced out of a packed projection need no copy, and the result has q's memory order. A query that may attend
/// to no key gives zeros and no gradient. With `causal` and `window`, query i sees keys i - window + 1 … i (Beltagy et
/// al. 2020, "Longformer"; Mistral); keys outside the windows of a tile of queries cost nothing, so time grows with L ·
/// window. With `segments`, for which L and S must be equal, every run of one number is a document that sees itself
/// alone. Tiles outside it cost nothing, so time grows with the sum of the squared lengths, and nothing of size L × L
/// is stored; on the CPU a document's results are bitwise those that it has in a row of its own. Throws ValueError for
/// numbers that descend (on a GPU IndexError, when the program next waits for it). cuDNN computes neither windows nor
/// segments; our own kernels do. The dropout mask is the one that dropout() would draw
/// for the row-major weights, except in half types on a GPU, where cuDNN draws its own unless deterministic(true) is
/// set; the generator decides both. Differentiable to any order with respect to q, k, v and a floating mask; the mask's
/// gradient, and a graph of the gradient, store the weights, and the latter throws an Error if cuDNN drew the dropout.
///   Tensor y = scaled_dot_product_attention(q, k, v, {.causal = true});
MINIMA_API Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                               const AttentionOptions& options = {});

}  // namespace minima
