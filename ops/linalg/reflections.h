#pragma once

#include <minima/tensor/tensor.h>

// Householder's reflections Hᵢ = 1 - τᵢ·vᵢ·vᵢᵀ, as LAPACK stores them: vᵢ is column i of a matrix [..., M, N] below the
// diagonal, with a one on it and zeros above. float32 or float64; leading dimensions are a batch.

namespace minima::linalg {

struct Reflections {
  Tensor a;    ///< R in the upper triangle, the reflections below it
  Tensor tau;  ///< [..., min(M, N)]
};
/// The reflections whose product is the Q of x [..., M, N] = Q·R. Without gradient; CUDA tensors as in
/// factorisations.h.
MINIMA_API Reflections geqrf(const Tensor& x);

/// The first N columns of H₁·H₂·…·H_K: a [..., M, N], tau [..., K], M ≥ N ≥ K. Differentiable to any order by both.
/// As products of matrices (Schreiber, Van Loan 1989), so quick on GPUs, too.
///   Tensor q = linalg::householder_product(reflections.a, reflections.tau);
MINIMA_API Tensor householder_product(const Tensor& a, const Tensor& tau);

struct OrmqrOptions {
  bool left = true;         ///< Q·C, else C·Q
  bool transposed = false;  ///< with Qᵀ
};
/// The product of all of Q [M, M] = H₁·H₂·…·H_K and c [..., M, L] (or [..., L, M]): a [..., M, K], tau [..., K].
/// Differentiable to any order.
MINIMA_API Tensor ormqr(const Tensor& a, const Tensor& tau, const Tensor& c, const OrmqrOptions& options = {});

}  // namespace minima::linalg
