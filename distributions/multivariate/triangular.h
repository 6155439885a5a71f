#pragma once

#include <minima/tensor/tensor.h>

// Triangular matrices as compositions of operators, a step per row: for the sizes of distributions. Internal to
// distributions.

namespace minima::distributions::detail {

/// The lower triangular L with L·Lᵀ = a, for positive definite a [..., D, D]; NaN where it is not. Differentiable to
/// any order.
MINIMA_API Tensor cholesky_factor(const Tensor& a);
/// L⁻¹·b for lower triangular L [..., D, D] and b [..., D, K]; leading dimensions broadcast. Differentiable to any
/// order.
MINIMA_API Tensor solve_lower(const Tensor& lower, const Tensor& b);

}  // namespace minima::distributions::detail
