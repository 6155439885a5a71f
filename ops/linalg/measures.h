#pragma once

#include <minima/tensor/tensor.h>

#include <optional>

// Determinants, norms and condition numbers of matrices [..., M, N] in float32 or float64; leading dimensions are a
// batch. Differentiable to any order. What needs a factorisation computes CUDA tensors as in factorisations.h.

namespace minima::linalg {

/// The determinant [...] of x [..., N, N]. The gradient of a singular matrix is that of its cofactors; its second
/// derivative needs distinct singular values.
MINIMA_API Tensor det(const Tensor& x);

struct SignAndLogarithm {
  Tensor sign;       ///< -1, 0 or 1, without gradient
  Tensor logarithm;  ///< -∞ for a singular matrix
};
/// The determinant's sign and log |det x|, which does not overflow. The gradient of a singular matrix is a ValueError.
MINIMA_API SignAndLogarithm slogdet(const Tensor& x);
/// log det x; NaN where the determinant is negative.
MINIMA_API Tensor logdet(const Tensor& x);

enum class MatrixNorm : std::uint8_t { frobenius, nuclear };
/// √Σ x², or the sum of the singular values, over two dimensions.
MINIMA_API Tensor matrix_norm(const Tensor& x, MatrixNorm norm = MatrixNorm::frobenius, const Shape& dims = {-2, -1},
                              bool keep_dim = false);
/// The norm that vectors' p-norms induce: 1 and ∞ are the largest sum of a column and a row, 2 the largest singular
/// value; -1, -∞ and -2 the smallest. Other p throw ValueError.
MINIMA_API Tensor matrix_norm(const Tensor& x, double p, const Shape& dims = {-2, -1}, bool keep_dim = false);
/// (Σ |x|ᵖ)^(1/p) over `dims` (default: all): `norm`, also for half types.
MINIMA_API Tensor vector_norm(const Tensor& x, double p = 2, const Shape& dims = {}, bool keep_dim = false);

/// The condition number [...] in the norms of matrix_norm: for p = 2 and -2 the ratio of singular values of x [..., M,
/// N], else ‖x‖·‖x⁻¹‖ of x [..., N, N]; ∞ for a singular matrix.
MINIMA_API Tensor cond(const Tensor& x, double p = 2);
MINIMA_API Tensor cond(const Tensor& x, MatrixNorm norm);

}  // namespace minima::linalg
