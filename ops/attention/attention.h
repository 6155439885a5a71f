#pragma once

#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <optional>

namespace minima {

struct AttentionOptions {
  bool causal = false;  ///< query i sees keys 0 … i only
  Tensor mask = {};     ///< broadcasts to [..., L, S]: bool (true: may be seen) or floating, which is added
  double dropout = 0;   ///< each weight becomes 0 with this probability, the others are scaled up
  std::optional<double> scale = {};      ///< of the scores; 1 / √E if none is given
  bool grouped = false;                  ///< k and v may have fewer heads, a divisor of q's; each serves a group of q's
  RandomGenerator* generator = nullptr;  ///< for dropout; null is the default one
};

/// Attention(q, k, v) = dropout(softmax(q·kᵀ · scale + mask))·v (Vaswani et al. 2017) in tiles, with a running softmax
/// (Dao et al. 2022, "FlashAttention"), so that the L×S weights are never stored: memory grows with L + S.
///   q [..., H, L, E], k [..., H, S, E], v [..., H, S, Ev] → [..., H, L, Ev]
/// Leading dimensions are equal. All have one floating dtype; half types compute in float32. Any strides do: heads cut
/// out of one packed projection need no copy, and the result lies in memory as q does. A query that may see no key
/// gives zeros and no gradient. Weight (…, h, i, j) is dropped as element i of dropout() on the row-major weights would
/// be. Differentiable by q, k, v and a floating mask to any order; where the gradient of the mask or a graph of the
/// gradient is wanted, the weights are stored.
///   Tensor y = scaled_dot_product_attention(q, k, v, {.causal = true});
MINIMA_API Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                               const AttentionOptions& options = {});

}  // namespace minima
