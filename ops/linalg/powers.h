#pragma once

#include <minima/tensor/tensor.h>

#include <span>
#include <vector>

// Products of many matrices. Differentiable to any order.

namespace minima::linalg {

/// xⁿ of matrices x [..., N, N] in any floating dtype, by repeated squaring; a negative n is a power of the inverse, in
/// float32 or float64.
MINIMA_API Tensor matrix_power(const Tensor& x, std::int64_t n);
/// eˣ = Σ xᵏ/k! of matrices x [..., N, N] in float32 or float64. CUDA tensors as in factorisations.h.
MINIMA_API Tensor matrix_exp(const Tensor& x);
/// The symmetric positive definite root √x of symmetric positive definite x [..., N, N], of which the lower triangle is
/// read; float32 or float64. The second derivative needs distinct eigenvalues. A negative eigenvalue gives NaN. CUDA
/// tensors as in factorisations.h.
MINIMA_API Tensor matrix_sqrth(const Tensor& x);
/// The product of two or more matrices in the order that needs the fewest operations. The first may be a row [N] and
/// the last a column [N].
MINIMA_API Tensor multi_dot(std::span<const Tensor> matrices);
inline Tensor multi_dot(const std::vector<Tensor>& matrices) { return multi_dot(std::span<const Tensor>(matrices)); }

}  // namespace minima::linalg
