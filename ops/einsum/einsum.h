#pragma once

#include <minima/tensor/tensor.h>

#include <initializer_list>
#include <span>
#include <string_view>

namespace minima {

/// Products summed over indices, in Einstein's notation: each operand's dimensions are named by a letter, and letters
/// that the result does not have are summed over. Without `->` the result has the letters that occur once, in
/// alphabetical order. `...` stands for dimensions that broadcast; a letter twice in one operand is its diagonal.
///   einsum("ij,jk->ik", {a, b})          // a matrix product
///   einsum("bqhd,bkhd->bhqk", {q, k})    // scores of attention
///   einsum("ii", {a})                    // a trace
/// Operands are taken from left to right, each pair as one batched matrix product. Differentiable. Throws ValueError
/// for an equation that makes no sense, ShapeError for sizes that do not fit.
MINIMA_API Tensor einsum(std::string_view equation, std::span<const Tensor> operands);
inline Tensor einsum(std::string_view equation, std::initializer_list<Tensor> operands) {
  return einsum(equation, std::span<const Tensor>(operands.begin(), operands.size()));
}

}  // namespace minima
