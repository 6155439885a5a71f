#pragma once

#include <minima/tensor/tensor.h>

#include <initializer_list>
#include <span>
#include <string_view>

// Inner, outer, tensor, Kronecker and cross products, traces, powers and sums in Einstein notation. Floating dtypes
// unless stated; all inputs share one. Differentiable to any order. Shapes that do not fit throw ShapeError. `beta` = 0
// ignores the tensor that it multiplies, even where that is NaN.

namespace minima {

/// Σ aᵢ bᵢ of vectors [N].
MINIMA_API Tensor dot(const Tensor& a, const Tensor& b);
/// Sums over the last dimensions: a [..., K] and b [..., K] → a's other dimensions, then b's. A scalar multiplies.
MINIMA_API Tensor inner(const Tensor& a, const Tensor& b);
/// aᵢ bⱼ of vectors a [N], b [M] of any dtype → [N, M].
MINIMA_API Tensor outer(const Tensor& a, const Tensor& b);
/// β·x + α·outer(a, b); x broadcasts to [N, M].
MINIMA_API Tensor addr(const Tensor& x, const Tensor& a, const Tensor& b, double beta = 1, double alpha = 1);
/// Sums over the last `count` dimensions of a and the first of b.
MINIMA_API Tensor tensordot(const Tensor& a, const Tensor& b, std::int64_t count = 2);
/// Sums over dimensions dims_a[i] of a and dims_b[i] of b; the result has a's other dimensions, then b's.
MINIMA_API Tensor tensordot(const Tensor& a, const Tensor& b, const Shape& dims_a, const Shape& dims_b);
/// The Kronecker product: blocks aᵢⱼ·b, with sizes a.size(d)·b.size(d). The smaller rank gets leading ones. Any dtype.
MINIMA_API Tensor kron(const Tensor& a, const Tensor& b);
/// The cross product of vectors of three elements along `dim` of the broadcast shape. All dtypes but bool.
MINIMA_API Tensor cross(const Tensor& a, const Tensor& b, std::int64_t dim = -1);
/// Σ xᵢᵢ of a matrix of any dtype; integers give int64.
MINIMA_API Tensor trace(const Tensor& x);
/// Powers of a vector x [N] of any dtype → [N, n]: columns xⁿ⁻¹ … x⁰, or x⁰ … xⁿ⁻¹ if increasing; n = -1 is N. Integers
/// give int64.
MINIMA_API Tensor vander(const Tensor& x, std::int64_t n = -1, bool increasing = false);

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
