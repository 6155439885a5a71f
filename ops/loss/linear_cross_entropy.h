#pragma once

#include <minima/ops/loss/cross_entropy.h>

namespace minima {

/// cross_entropy(linear(x, weight, bias), target, options) without ever storing all logits: rows are processed in
/// chunks, and a recorded call computes the gradients of x, weight and bias right away, so that backward only scales
/// them. For the last layer of language models, whose logits are by far the largest tensor.
///   x [..., D], weight [C, D], bias [C] or undefined, target [...] of int64 class indices → a scalar
/// One floating dtype; the gradients of half types are kept in float32. Differentiable to any order; a graph of the
/// gradient stores the logits. Reduction::none stores them too, rounded to x's dtype.
///   Tensor loss = linear_cross_entropy(h, embedding.weight, {}, next_tokens);
MINIMA_API Tensor linear_cross_entropy(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& target,
                                       const CrossEntropyOptions& options = {});

}  // namespace minima
