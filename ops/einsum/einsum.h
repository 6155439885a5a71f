#pragma once

#include <minima/tensor/tensor.h>

#include <initializer_list>
#include <span>
#include <string_view>

namespace minima {

/// Sums of products in Einstein notation. Letters name each operand's dimensions; letters that the output omits are
/// summed over. Without `->`, the output has the letters that occur once, in alphabetical order. `...` matches
/// dimensions that broadcast; a repeated letter in one operand takes the diagonal.
///   einsum("ij,jk->ik", {a, b})          // a matrix product
///   einsum("bqhd,bkhd->bhqk", {q, k})    // scores of attention
///   einsum("ii", {a})                    // a trace
/// Operands are contracted from left to right, each pair as one batched matrix product. Differentiable. Throws
/// ValueError for a malformed equation, ShapeError for mismatched sizes.
MINIMA_API Tensor einsum(std::string_view equation, std::span<const Tensor> operands);
inline Tensor einsum(std::string_view equation, std::initializer_list<Tensor> operands) {
  return einsum(equation, std::span<const Tensor>(operands.begin(), operands.size()));
}

}  // namespace minima
