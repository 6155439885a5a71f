#pragma once

#include <minima/tensor/tensor.h>

// Matrix products. All inputs of one share a floating dtype. Differentiable to any order. Shapes that do not fit throw
// ShapeError. `beta` = 0 ignores the tensor that it multiplies, even where that is NaN.

namespace minima {

/// Matrix product: a [..., M, K] × b [..., K, N] → [..., M, N]; leading dimensions broadcast. A vector a [K] counts as
/// a row and a vector b [K] as a column, whose dimension the result drops: [K] × [K] is a scalar. Half types accumulate
/// in float32 and round once. Transposed and sliced views are read in place.
///   Tensor scores = matmul(queries, transpose(keys, -1, -2));
MINIMA_API Tensor matmul(const Tensor& a, const Tensor& b);

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
/// β·x + α·(a × b) for a [B, N, K], b [B, K, M]; x broadcasts to [B, N, M].
MINIMA_API Tensor baddbmm(const Tensor& x, const Tensor& a, const Tensor& b, double beta = 1, double alpha = 1);
/// β·x + α·Σ over the batch of a × b; x broadcasts to [N, M].
MINIMA_API Tensor addbmm(const Tensor& x, const Tensor& a, const Tensor& b, double beta = 1, double alpha = 1);

}  // namespace minima
