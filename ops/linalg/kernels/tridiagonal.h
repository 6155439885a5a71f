#pragma once

#include <minima/ops/linalg/kernels/rotations.h>

#include <Eigen/Jacobi>  // IWYU pragma: keep

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

// Eigenvalues and eigenvectors of symmetric tridiagonal matrices, by implicit QR steps with Wilkinson's shift (Golub,
// Van Loan, Matrix Computations, 8.3). Internal.

namespace minima::detail {

/// One step on the rows `first` to `last`, which no zero off the diagonal separates.
template <class T>
void take_tridiagonal_step(T* diagonal, T* off_diagonal, std::int64_t first, std::int64_t last,
                           DeferredRotations<T>& rotations) {
  // The eigenvalue of the last two rows' block that is closer to its last element.
  const T half = (diagonal[last - 1] - diagonal[last]) / 2, b = off_diagonal[last - 1];
  const T shift = diagonal[last] - b * (b / (half + std::copysign(std::hypot(half, b), half)));
  T x = diagonal[first] - shift, bulge = off_diagonal[first];
  for (std::int64_t k = first; k < last && bulge != 0; ++k) {
    Eigen::JacobiRotation<T> rotation;
    rotation.makeGivens(x, bulge);
    const T c = rotation.c(), s = rotation.s(), p = diagonal[k], q = off_diagonal[k], r = diagonal[k + 1];
    diagonal[k] = c * (c * p - s * q) - s * (c * q - s * r);
    diagonal[k + 1] = s * (s * p + c * q) + c * (s * q + c * r);
    off_diagonal[k] = c * (s * p + c * q) - s * (s * q + c * r);
    if (k > first) off_diagonal[k - 1] = c * off_diagonal[k - 1] - s * bulge;
    x = off_diagonal[k];
    if (k + 1 < last) {
      bulge = -s * off_diagonal[k + 1];
      off_diagonal[k + 1] *= c;
    }
    rotations.add(k, c, s);
  }
}

/// Diagonalises T, whose elements are at most 1: `diagonal` becomes its eigenvalues in no order, and Q, whose columns
/// are the rows of `vectors` (none: it is not computed), becomes Q·V with T = V·Λ·Vᵀ. Returns whether it converged.
template <class T>
bool diagonalise_tridiagonal(std::vector<T>& diagonal, std::vector<T>& off_diagonal, Dense<T> vectors) {
  constexpr T epsilon = std::numeric_limits<T>::epsilon();
  T *const d = diagonal.data(), *const e = off_diagonal.data();
  DeferredRotations<T> rotations(vectors);
  const auto is_negligible = [=](std::int64_t i) {
    const T scaled = e[i] / epsilon;
    return scaled * scaled <= std::abs(d[i]) + std::abs(d[i + 1]);
  };
  const bool converged = take_qr_steps(off_diagonal, is_negligible, [&](std::int64_t first, std::int64_t last) {
    take_tridiagonal_step(d, e, first, last, rotations);
    rotations.apply_if_many();
  });
  rotations.apply();
  return converged;
}

}  // namespace minima::detail
