#pragma once

#include <minima/ops/linalg/kernels/batch.h>

// The CPU's kernels of linear algebra. Tensors are row-major batches of matrices in float32 or float64; matrices of a
// batch are spread over the threads. Undefined outputs are not wanted.

namespace minima::detail {

/// The factor L of x = L·Lᵀ, or U = Lᵀ. Reads the lower triangle, or the upper one. Finds the order of the first
/// leading minor that is not positive.
Infos cholesky_kernel(const Tensor& x, bool upper, Tensor& y);

/// The factors L and U of x [..., M, N] = P·L·U in one matrix, and the row, counted from 1, with which each was
/// swapped.
void lu_kernel(const Tensor& x, Tensor& lu, Tensor& pivots);

/// x with its rows exchanged as the pivots say, which are valid, or exchanged back.
void permute_rows_kernel(const Tensor& x, const Tensor& pivots, bool back, Tensor& y);

/// x with a·x = b, where a is triangular.
void solve_triangular_kernel(const Tensor& a, bool upper, bool unitriangular, const Tensor& b, Tensor& x);

/// x with a·x = b, and the factors of a. Finds the first pivot that is 0, counted from 1.
Infos solve_kernel(const Tensor& a, const Tensor& b, Tensor& x, Tensor& lu, Tensor& pivots);

/// x with aᵀ·x = b for the factors of a.
void solve_transposed_kernel(const Tensor& lu, const Tensor& pivots, const Tensor& b, Tensor& x);

/// Finds the first pivot that is 0, counted from 1; the inverse is then infinite.
Infos inv_kernel(const Tensor& x, Tensor& y);

/// The determinant, or its sign and the logarithm of its absolute value.
void det_kernel(const Tensor& x, Tensor& y);
void slogdet_kernel(const Tensor& x, Tensor& sign, Tensor& logarithm);

/// Writes identities: the orthogonal factors of matrices without elements.
void identity_kernel(Tensor& y);

// LAPACK computes the following, and Eigen in builds without it.

/// x [..., M, N] = Q·R, where Q has as many columns as its tensor.
void qr_kernel(const Tensor& x, Tensor& q, Tensor& r);

/// The reflections behind R, as LAPACK's geqrf stores them, and their factors [..., min(M, N)].
void geqrf_kernel(const Tensor& x, Tensor& reflections, Tensor& tau);

/// Eigenvalues in ascending order and the eigenvectors, in columns, of the symmetric matrices whose lower triangle, or
/// upper one, x has. An info is not 0 where the iteration does not converge or x is not finite.
Infos eigh_kernel(const Tensor& x, bool upper, Tensor& values, Tensor& vectors);

/// Complex eigenvalues and eigenvectors of any matrices. Its info is as in eigh_kernel.
Infos eig_kernel(const Tensor& x, Tensor& values, Tensor& vectors);

/// x = U·diag(S)·Vᵀ; U and Vᵀ are both undefined where the singular values alone are wanted. Its info is as in
/// eigh_kernel.
Infos svd_kernel(const Tensor& x, Tensor& u, Tensor& s, Tensor& vt);

// Minima's own again.

/// The factors that LAPACK's sytrf finds in the lower triangle, and x with a·x = b for them.
void ldl_kernel(const Tensor& x, Tensor& ld, Tensor& pivots);
void ldl_solve_kernel(const Tensor& ld, const Tensor& pivots, const Tensor& b, Tensor& x);

/// eˣ by scaling and squaring with Padé approximants (Higham 2005).
void matrix_exp_kernel(const Tensor& x, Tensor& y);

}  // namespace minima::detail
