#pragma once

#include <minima/tensor/tensor.h>

// Distances and lengths of vectors, with PyTorch's definitions. ‖·‖ₚ is (Σ |x|ᵖ)^(1/p) as in `norm`, with the same
// derivatives at 0. Floating dtypes. Differentiable to any order.

namespace minima {

/// ‖a - b‖ₚ of all elements; a and b broadcast.
MINIMA_API Tensor dist(const Tensor& a, const Tensor& b, double p = 2);
/// ‖a - b + eps‖ₚ over the last dimension; a and b broadcast.
MINIMA_API Tensor pairwise_distance(const Tensor& a, const Tensor& b, double p = 2, double eps = 1e-6,
                                    bool keep_dim = false);
/// The distances ‖aᵢ - bⱼ‖ₚ between all rows: a [..., P, D], b [..., R, D] → [..., P, R]; leading dimensions broadcast.
/// For p = 2 and more than 25 rows they come from a matrix product, √(|a|² + |b|² - 2 a·b), which needs P·R instead of
/// P·R·D elements but loses digits where rows are close to each other.
MINIMA_API Tensor cdist(const Tensor& a, const Tensor& b, double p = 2);
/// The distances ‖xᵢ - xⱼ‖ₚ between the rows i < j of x [P, D] → [P·(P - 1) / 2], those of the first row first.
MINIMA_API Tensor pdist(const Tensor& x, double p = 2);
/// a·b / (max(‖a‖, eps)·max(‖b‖, eps)) over one dimension; a and b broadcast. The gradient is that of this formula for
/// lengths below eps, too, where PyTorch's is that of the lengths.
MINIMA_API Tensor cosine_similarity(const Tensor& a, const Tensor& b, std::int64_t dim = 1, double eps = 1e-8);
/// x / max(‖x‖ₚ, eps) along one dimension.
MINIMA_API Tensor normalize(const Tensor& x, double p = 2, std::int64_t dim = 1, double eps = 1e-12);

}  // namespace minima
