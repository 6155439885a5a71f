#pragma once

#include <minima/tensor/tensor.h>

// Products of vectors and matrices by other operators, with PyTorch's definitions. Floating dtypes unless stated; all
// inputs share one. Differentiable to any order. Shapes that do not fit throw ShapeError. `beta` = 0 ignores the
// tensor that it multiplies, even where that is NaN.

namespace minima {

/// Σ aᵢ bᵢ of vectors [N].
MINIMA_API Tensor dot(const Tensor& a, const Tensor& b);
/// Sums over the last dimensions: a [..., K] and b [..., K] → a's other dimensions, then b's. A scalar multiplies.
MINIMA_API Tensor inner(const Tensor& a, const Tensor& b);
/// aᵢ bⱼ of vectors a [N], b [M] of any dtype → [N, M].
MINIMA_API Tensor outer(const Tensor& a, const Tensor& b);
/// A matrix by a vector: a [N, M], b [M] → [N].
MINIMA_API Tensor mv(const Tensor& a, const Tensor& b);
/// A matrix by a matrix: a [N, K], b [K, M] → [N, M], without broadcasting.
MINIMA_API Tensor mm(const Tensor& a, const Tensor& b);
/// Matrices by matrices: a [B, N, K], b [B, K, M] → [B, N, M], without broadcasting.
MINIMA_API Tensor bmm(const Tensor& a, const Tensor& b);
/// β·x + α·(a × b) for a [N, K], b [K, M]; x broadcasts to [N, M].
MINIMA_API Tensor addmm(const Tensor& x, const Tensor& a, const Tensor& b, double beta = 1, double alpha = 1);
/// β·x + α·(a × b) for a [N, M], b [M]; x broadcasts to [N].
MINIMA_API Tensor addmv(const Tensor& x, const Tensor& a, const Tensor& b, double beta = 1, double alpha = 1);
/// β·x + α·outer(a, b); x broadcasts to [N, M].
MINIMA_API Tensor addr(const Tensor& x, const Tensor& a, const Tensor& b, double beta = 1, double alpha = 1);
/// β·x + α·(a × b) for a [B, N, K], b [B, K, M]; x broadcasts to [B, N, M].
MINIMA_API Tensor baddbmm(const Tensor& x, const Tensor& a, const Tensor& b, double beta = 1, double alpha = 1);
/// β·x + α·Σ over the batch of a × b; x broadcasts to [N, M].
MINIMA_API Tensor addbmm(const Tensor& x, const Tensor& a, const Tensor& b, double beta = 1, double alpha = 1);
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

}  // namespace minima
