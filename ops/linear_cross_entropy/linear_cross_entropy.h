#pragma once

#include <minima/ops/cross_entropy/cross_entropy.h>

namespace minima {

/// cross_entropy(linear(x, weight, bias), target, options) without ever storing all logits: rows are taken in chunks,
/// and a call that is recorded computes the gradients of x, weight and bias on the way, so that the backward pass only
/// scales them. What a language model's last layer needs, where the logits are its largest tensor by far.
///   x [..., D], weight [C, D], bias [C] or undefined, target [...] of int64 class indices → a scalar
/// One floating dtype; the gradients are kept in float32 for half types. Differentiable to any order; a graph of the
/// gradient stores the logits. Reduction::none stores them too, rounded to x's dtype.
///   Tensor loss = linear_cross_entropy(h, embedding.weight, {}, next_tokens);
MINIMA_API Tensor linear_cross_entropy(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& target,
                                       const CrossEntropyOptions& options = {});

}  // namespace minima
