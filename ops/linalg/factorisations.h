#pragma once

#include <minima/tensor/tensor.h>

// Factors of matrices [..., M, N] in float32 or float64; leading dimensions are a batch. Half types throw DTypeError,
// except in autocast regions, which convert them to float32. Differentiable to any order where the factors are: the
// gradient is that of PyTorch, and meaningful for losses that do not depend on the factors' free signs and rotations.
// A matrix that cannot be factored is a ValueError that names it by its place in the batch.
//
// CUDA tensors are computed by cuSOLVER, where it is installed, else on the CPU. No call can be captured. Those that
// check their matrices (cholesky, eigh, svd, solve, inv) wait for the GPU once; qr, lu_factor, det and slogdet do
// not, unless cuSOLVER works in memory of the host.
// A batch is one call of the library if its matrices are small; for qr and svd, and a batch of large ones, it is a
// loop.

namespace minima::linalg {

/// L with x = L·Lᵀ, lower triangular; with `upper` U with x = Uᵀ·U. x [..., N, N] is symmetric positive definite; only
/// its lower triangle is read (the upper one with `upper`), and the gradient is symmetric. A matrix that is not
/// positive definite is a ValueError that names the leading minor.
MINIMA_API Tensor cholesky(const Tensor& x, bool upper = false);

struct QR {
  Tensor q;
  Tensor r;
};
enum class QRMode : std::uint8_t {
  reduced,   ///< Q [..., M, K], R [..., K, N] with K = min(M, N)
  complete,  ///< Q [..., M, M], R [..., M, N]; no gradient where M > N
  r,         ///< R of `reduced`; Q is undefined
};
/// x = Q·R with orthonormal columns of Q and an upper triangular R, by Householder reflections, so that R's diagonal
/// has any sign. The gradient needs the first K columns of x to be independent.
///   auto [q, r] = linalg::qr(x);
MINIMA_API QR qr(const Tensor& x, QRMode mode = QRMode::reduced);

struct Eigh {
  Tensor values;   ///< [..., N], ascending
  Tensor vectors;  ///< [..., N, N], in columns
};
/// x = V·diag(w)·Vᵀ for symmetric x [..., N, N]. Only its lower triangle is read (the upper one with `upper`), and the
/// gradient is symmetric. Eigenvectors of equal eigenvalues contribute no gradient to each other. NaN and infinities
/// are a ValueError.
MINIMA_API Eigh eigh(const Tensor& x, bool upper = false);
/// The eigenvalues alone, in ascending order.
MINIMA_API Tensor eigvalsh(const Tensor& x, bool upper = false);

struct Eig {
  Tensor values;   ///< complex [..., N], in no order; those that are not real come in conjugate pairs
  Tensor vectors;  ///< complex [..., N, N], in columns of norm 1
};
/// x·V = V·diag(w) for any real x [..., N, N]. The gradient is that of PyTorch: it holds for losses that do not depend
/// on the vectors' phases, and is a ValueError where there are no N independent vectors. Those of equal eigenvalues
/// contribute no gradient to each other. NaN and infinities are a ValueError. CUDA tensors are computed on the CPU.
MINIMA_API Eig eig(const Tensor& x);
/// The eigenvalues alone.
MINIMA_API Tensor eigvals(const Tensor& x);

struct SVD {
  Tensor u;
  Tensor s;   ///< [..., K], descending
  Tensor vt;  ///< Vᵀ
};
/// x = U·diag(S)·Vᵀ with K = min(M, N): U [..., M, K], S [..., K], Vᵀ [..., K, N]; with `full_matrices`, U [..., M, M]
/// and Vᵀ [..., N, N], which has no gradient unless M = N. (PyTorch's default is true.) Singular vectors of equal
/// singular values contribute no gradient to each other; other gradients of U and Vᵀ need singular values above 0. NaN
/// and infinities are a ValueError.
MINIMA_API SVD svd(const Tensor& x, bool full_matrices = false);
/// The singular values alone, in descending order.
MINIMA_API Tensor svdvals(const Tensor& x);

struct LUFactors {
  Tensor lu;      ///< U, and below the diagonal L without its ones
  Tensor pivots;  ///< int64 [..., K]: row i was swapped with row pivots[i] - 1
};
/// The factors of x = P·L·U with partial pivoting, as lu_solve takes them. Singular matrices have factors, too, but no
/// gradient.
MINIMA_API LUFactors lu_factor(const Tensor& x);
struct LU {
  Tensor p;  ///< [..., M, M]
  Tensor l;  ///< [..., M, K]
  Tensor u;  ///< [..., K, N]
};
/// x = P·L·U as matrices, K = min(M, N).
MINIMA_API LU lu(const Tensor& x);
/// The same matrices from the factors that lu_factor found; differentiable by `factors.lu`.
MINIMA_API LU lu_unpack(const LUFactors& factors);

struct LDLFactors {
  Tensor ld;      ///< L without its ones, and D's diagonal and the entries below it
  Tensor pivots;  ///< int64 [..., N]: as LAPACK's sytrf counts rows from 1; two negative ones are a block of two
};
/// The factors of symmetric x [..., N, N] = P·L·D·Lᵀ·Pᵀ, definite or not, by Bunch and Kaufman's pivoting, as ldl_solve
/// takes them: D has blocks of one or two rows. Only the lower triangle is read. Without gradient. CUDA tensors are
/// computed on the CPU.
MINIMA_API LDLFactors ldl_factor(const Tensor& x);

// Householder's reflections Hᵢ = 1 - τᵢ·vᵢ·vᵢᵀ, as LAPACK stores them: vᵢ is column i of a matrix [..., M, N] below the
// diagonal, with a one on it and zeros above.

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
