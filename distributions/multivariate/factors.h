#pragma once

#include <minima/tensor/tensor.h>

// Cholesky factors of covariances, for half types in float32. Differentiable to any order. Internal to distributions.

namespace minima::distributions::detail {

/// The lower triangular L with L·Lᵀ = a, for positive definite a [..., D, D]; NaN where it is not. What a lacks of
/// symmetry is averaged.
MINIMA_API Tensor cholesky_factor(const Tensor& a);
/// L⁻¹·b for lower triangular L [..., D, D] and b [..., D, K]; leading dimensions broadcast.
MINIMA_API Tensor solve_lower(const Tensor& lower, const Tensor& b);
/// |L⁻¹·x|² for vectors x [..., D]; leading dimensions broadcast. Vectors that share a matrix, because that lacks a
/// dimension or has size 1 there, are solved for together.
MINIMA_API Tensor squared_distance(const Tensor& lower, const Tensor& x);

}  // namespace minima::distributions::detail
