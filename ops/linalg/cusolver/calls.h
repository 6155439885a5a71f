#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>
#include <memory>

// Calls of cuSOLVER and cuBLAS. Internal.

namespace minima::detail {

/// Whether both can be opened, and their headers were there when minima was built.
bool can_open_cusolver();

/// A row-major copy, which as column-major matrices holds the transposes.
Tensor row_major(const Tensor& x);
/// A copy in which the same matrices are column-major: [..., N, M].
Tensor column_major(const Tensor& x);

/// cuSOLVER for one operator, on x's GPU and its current stream. Matrices are column-major: element [i, j] of an m x n
/// matrix is element [j, i] of a matrix in a row-major tensor [..., n, m], which is the batch. Each function overwrites
/// its arguments and `info`. A batch is one call if the matrices are small, except for `reflectors`, `orthonormal` and
/// `singular`, which are a loop.
///   Solver solver("lu_factor", x);
///   solver.lu(columns, pivots);
class Solver {
 public:
  /// Throws CaptureError in a capture: cuSOLVER may allocate memory.
  Solver(const char* op, const Tensor& x);
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// LAPACK's result for each matrix of the last call: int32 [count]. Not defined after `triangle`.
  const Tensor& info() const { return info_; }

  /// a ← its Cholesky factor, in the triangle that is read; the other one is undefined.
  void cholesky(const Tensor& a, bool upper);
  /// a ← its LU factors; pivots [..., min(m, n)] in int64, counted from 1.
  void lu(const Tensor& a, const Tensor& pivots);
  /// b ← a⁻¹·b, or a⁻ᵀ·b, for the LU factors of a.
  void solve(const Tensor& factors, const Tensor& pivots, bool transposed, const Tensor& b);
  /// a ← R, and below it Householder's vectors with the scales tau [..., min(m, n)].
  void reflectors(const Tensor& a, const Tensor& tau);
  /// The first `columns` columns of a ← those of Q, from tau.size(-1) reflectors.
  void orthonormal(const Tensor& a, const Tensor& tau, std::int64_t columns);
  /// Eigenvalues [..., n], ascending, of the symmetric a, one triangle of which is read; a ← the eigenvectors, if they
  /// are wanted.
  void symmetric(const Tensor& a, bool upper, bool vectors, const Tensor& values);
  /// a = u·diag(s)·vt for m ≥ n. Both factors may be undefined, and square; a is overwritten.
  void singular(const Tensor& a, const Tensor& u, const Tensor& s, const Tensor& vt);
  /// b ← b·a⁻¹, or b·a⁻ᵀ, for triangular a, by cuBLAS.
  void triangle(const Tensor& a, bool upper, bool transposed, bool unitriangular, const Tensor& b);

 private:
  struct State;
  std::unique_ptr<State> state_;
  Tensor info_;
};

}  // namespace minima::detail
