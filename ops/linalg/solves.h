#pragma once

#include <minima/ops/linalg/factorisations.h>
#include <minima/tensor/tensor.h>

#include <optional>

// Systems of linear equations and inverses, in float32 or float64; leading dimensions are a batch, and those of several
// arguments broadcast. Differentiable to any order. CUDA tensors as in factorisations.h.

namespace minima::linalg {

/// X with A·X = B, or with X·A = B if not `left`: a [..., N, N], b [..., N, K] (or [..., K, N]). b is a vector [N] or a
/// batch of vectors if its shape is a's without the last dimension. A singular matrix is a ValueError that names it.
MINIMA_API Tensor solve(const Tensor& a, const Tensor& b, bool left = true);

struct TriangularOptions {
  bool upper = false;          ///< which triangle of a is read
  bool left = true;            ///< A·X = B, else X·A = B
  bool unitriangular = false;  ///< the diagonal of a is ones and is not read
};
/// solve for triangular a [..., N, N] and b [..., N, K]. Zeros on the diagonal give infinities.
MINIMA_API Tensor solve_triangular(const Tensor& a, const Tensor& b, const TriangularOptions& options);

/// solve with the factors that lu_factor found.
MINIMA_API Tensor lu_solve(const LUFactors& factors, const Tensor& b, bool left = true);
/// X with A·X = B for the factor of A that cholesky found: b [..., N, K], factor [..., N, N].
MINIMA_API Tensor cholesky_solve(const Tensor& b, const Tensor& factor, bool upper = false);

/// The inverse of the A that cholesky factored.
MINIMA_API Tensor cholesky_inverse(const Tensor& factor, bool upper = false);
/// X with A·X = B for the factors of A that ldl_factor found: b [..., N, K]. Differentiable by b.
MINIMA_API Tensor ldl_solve(const LDLFactors& factors, const Tensor& b);

/// The inverse of x [..., N, N]. A singular matrix is a ValueError that names it. To solve equations, solve is faster
/// and more accurate.
MINIMA_API Tensor inv(const Tensor& x);

/// The inverse of a linear map between tensors: x has the shape of its results in the first `split` dimensions, and
/// that of its arguments in the others; as many elements in both. tensordot(y, x, split) undoes it.
MINIMA_API Tensor tensorinv(const Tensor& x, std::int64_t split = 2);
/// X with tensordot(a, X, X.rank()) = b: a has b's dimensions and then X's, after `dims` are moved to the end.
MINIMA_API Tensor tensorsolve(const Tensor& a, const Tensor& b, const Shape& dims = {});

/// Decides which singular values count as zero: those up to max(atol, rtol · the largest). Without rtol it is ε·max(M,
/// N), or 0 if there is an atol above 0.
struct RankTolerance {
  std::optional<double> atol{};
  std::optional<double> rtol{};
};
/// The Moore-Penrose inverse [..., N, M] of x [..., M, N]. The gradient holds where the rank does not change.
MINIMA_API Tensor pinv(const Tensor& x, const RankTolerance& tolerance = {});
/// The number of singular values that do not count as zero, int64 [...].
MINIMA_API Tensor matrix_rank(const Tensor& x, const RankTolerance& tolerance = {});

struct LeastSquares {
  Tensor solution;   ///< [..., N, K], or [..., N] for vectors
  Tensor residuals;  ///< Σ (A·X - B)² of each column [..., K] if M > N and all ranks are N; else empty [0]
  Tensor rank;       ///< int64 [...]
};
/// The X of least norm that minimises ‖A·X - B‖: a [..., M, N] of any rank, b [..., M, K], or a vector [M] or batch of
/// vectors as in solve. Singular values up to rcond · the largest count as zero; rcond defaults to ε·max(M, N).
MINIMA_API LeastSquares lstsq(const Tensor& a, const Tensor& b, std::optional<double> rcond = {});

}  // namespace minima::linalg
